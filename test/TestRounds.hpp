#ifndef TRIDENT_TEST_ROUNDS_HPP
#define TRIDENT_TEST_ROUNDS_HPP

// What local products are given, without ranks that send it: the rounds of a product, and rows of matrices.
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "local/Trident_HostProduct.hpp"
#include "local/Trident_RoundSum.hpp"
#include "reference/Trident_Reference.hpp"

namespace Trident::RoundsTest {

using Types = TileTypes<double, int, Kokkos::DefaultHostExecutionSpace::device_type>;
using Dense = Reference::Matrix<double>;

struct Csr {
  std::vector<std::size_t> rowPtr{0};
  std::vector<int> columns;
  std::vector<double> values;
};

inline Csr csrOf(const Dense& matrix, std::int64_t rows) {
  Csr csr;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = matrix.row.find(i);
    if (row != matrix.row.end())
      for (const auto& [j, value] : row->second) {
        csr.columns.push_back(static_cast<int>(j));
        csr.values.push_back(value);
      }
    csr.rowPtr.push_back(csr.columns.size());
  }
  return csr;
}

inline Dense randomMatrix(std::int64_t rows, std::int64_t columns, int perRow, unsigned seed) {
  std::mt19937 random(seed);
  Dense matrix;
  if (columns == 0) return matrix;
  for (std::int64_t i = 0; i < rows; ++i)
    for (int e = 0; e < perRow; ++e)
      matrix.row[i][static_cast<std::int64_t>(random()) % columns] = static_cast<double>(random() % 7) - 3;
  return matrix;
}

// Rounds cut A's columns and B's rows at the same places.
struct Rounds {
  std::vector<Csr> A;
  Csr B;
  std::vector<std::int64_t> start;
  std::int64_t rows, width;

  Rounds(const Dense& a, std::int64_t aRows, const Dense& b, std::int64_t bWidth,
         std::vector<std::int64_t> cuts)
      : B(csrOf(b, cuts.back())), start(std::move(cuts)), rows(aRows), width(bWidth) {
    for (std::size_t r = 0; r + 1 < start.size(); ++r) {
      Dense part;
      for (const auto& [i, row] : a.row)
        for (const auto& [k, value] : row)
          if (k >= start[r] && k < start[r + 1]) part.row[i][k - start[r]] = value;
      A.push_back(csrOf(part, rows));
    }
  }

  TileSlice<Types> sliceOfA(std::size_t r) const {
    TileSlice<Types> slice;
    slice.rowLengths = allocate<Types::Ordinals>("lengths", rows);
    for (std::int64_t i = 0; i < rows; ++i)
      slice.rowLengths(i) = static_cast<int>(A[r].rowPtr[i + 1] - A[r].rowPtr[i]);
    slice.columns = Types::ConstOrdinals(A[r].columns.data(), A[r].columns.size());
    slice.values = Types::ConstValues(A[r].values.data(), A[r].values.size());
    return slice;
  }

  // Row `from` of B is row 0 of the batch.
  GatheredTile<Types> tileOfB(std::size_t r, std::int64_t from, bool endsBatch) const {
    GatheredTile<Types> tile{
        start[r] - from,
        start[r + 1] - start[r],
        endsBatch,
        Types::ConstOffsets(B.rowPtr.data() + from, B.rowPtr.size() - static_cast<std::size_t>(from)),
        Types::ConstOrdinals(B.columns.data(), B.columns.size()),
        Types::ConstValues(B.values.data(), B.values.size())};
    tile.last = endsBatch && r + 2 == start.size();
    return tile;
  }
};

// A grid of points with some unknowns each, all coupled to those of the neighbours: runs of rows of one
// pattern, moved by 0 or 1, that break at the grid's borders.
inline Dense gridMatrix(int nx, int ny, int unknowns) {
  Dense matrix;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny) continue;
          for (int u = 0; u < unknowns; ++u)
            for (int w = 0; w < unknowns; ++w) {
              const int i = (y * nx + x) * unknowns + u;
              const int j = ((y + dy) * nx + x + dx) * unknowns + w;
              matrix.row[i][j] = 1 + (i * 7 + j * 3) % 11;
            }
        }
  return matrix;
}

// A band of five on a grid of n points: rows alike, but for the ends and a row that is not.
inline Dense bandMatrix(std::int64_t n) {
  Dense matrix;
  for (std::int64_t i = 0; i < n; ++i)
    for (const std::int64_t d : {-9, -1, 0, 1, 9})
      if (i + d >= 0 && i + d < n && i % 37 != 20)
        matrix.row[i][i + d] = static_cast<double>((i + 3 * d) % 5 + 6);
  return matrix;
}

}  // namespace Trident::RoundsTest

#endif
