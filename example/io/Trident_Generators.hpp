#ifndef TRIDENT_IO_GENERATORS_HPP
#define TRIDENT_IO_GENERATORS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

/// Test matrices by row range. Every random number is a function of the seed and of what it is for (row,
/// edge, entry), so the matrix is the same however its rows are cut over ranks.
///
/// All functions return rows firstRow <= row < lastRow and throw std::invalid_argument when the range does
/// not lie in the matrix, or when a size is negative, zero where that makes no matrix, or too large for
/// int64.
namespace Trident::IO {

/// Rows firstRow and following in compressed form; columns are global, ascending and distinct within a row.
struct RowBlock {
  std::int64_t firstRow = 0;
  std::vector<std::size_t> rowPtr = {0};  ///< one more than there are rows, in entries of this block
  std::vector<std::int64_t> col;
  std::vector<double> value;
};

/// The random number of the place (stream, counter): 64 bits, the same on every machine.
std::uint64_t counterRandom(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter);

/// Uniform random n x n matrix: `degree` columns drawn for each row, repeats merged, values uniform in [1,2).
RowBlock erdosRenyi(std::int64_t n, int degree, std::uint64_t seed, std::int64_t firstRow,
                    std::int64_t lastRow);

/// Recursive power-law graph on 2^scale vertices (scale 0 to 31) with edgesPerRow * 2^scale directed edges,
/// quadrant probabilities .57 .19 .19 .05 and vertices renumbered by a seeded bijection. The value counts how
/// often an edge was drawn. Every caller draws all edges and keeps its own, so time does not shrink with the
/// row range.
RowBlock rmat(int scale, int edgesPerRow, std::uint64_t seed, std::int64_t firstRow, std::int64_t lastRow);

/// The bijection of 0..2^scale-1 that rmat renumbers with.
std::uint64_t renumberVertex(std::uint64_t vertex, int scale, std::uint64_t seed);

/// 7-point Laplacian on an nx x ny x nz grid, x running fastest: 6 on the diagonal, -1 to each neighbour,
/// neighbours outside the grid left out.
RowBlock stencil7(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t firstRow,
                  std::int64_t lastRow);

/// As stencil7 with all 26 surrounding points and 26 on the diagonal.
RowBlock stencil27(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t firstRow,
                   std::int64_t lastRow);

/// Piecewise constant prolongator: row i has the single entry 1 in column i / aggregateSize.
RowBlock aggregation(std::int64_t rows, std::int64_t aggregateSize, std::int64_t firstRow,
                     std::int64_t lastRow);

}  // namespace Trident::IO

#endif
