// The local product: both implementations against the definition, fused over rounds and over batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "local/Trident_HostProduct.hpp"
#include "local/Trident_KokkosKernelsProduct.hpp"
#include "local/Trident_RoundSum.hpp"
#include "reference/Trident_Reference.hpp"

namespace {

using namespace Trident;
using Types = TileTypes<double, int, Kokkos::DefaultHostExecutionSpace::device_type>;
using Dense = Reference::Matrix<double>;

struct Csr {
  std::vector<std::size_t> rowPtr{0};
  std::vector<int> columns;
  std::vector<double> values;
};

Csr csrOf(const Dense& matrix, std::int64_t rows) {
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

Dense randomMatrix(std::int64_t rows, std::int64_t columns, int perRow, unsigned seed) {
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
    return {start[r] - from,
            start[r + 1] - start[r],
            endsBatch,
            Types::ConstOffsets(B.rowPtr.data() + from, B.rowPtr.size() - static_cast<std::size_t>(from)),
            Types::ConstOrdinals(B.columns.data(), B.columns.size()),
            Types::ConstValues(B.values.data(), B.values.size())};
  }
};

CsrRows<Types> multiply(LocalProduct<Types>& product, const Rounds& rounds, int roundsPerBatch,
                        bool skipZeros) {
  RoundSum<Types> sum(product, {rounds.rows, rounds.width, skipZeros}, [] {});
  const auto count = static_cast<int>(rounds.A.size());
  for (int t = 0; t < count; ++t) {
    const int first = t / roundsPerBatch * roundsPerBatch;
    const bool ends = (t + 1) % roundsPerBatch == 0 || t + 1 == count;
    sum.accumulate(rounds.sliceOfA(static_cast<std::size_t>(t)),
                   rounds.tileOfB(static_cast<std::size_t>(t), rounds.start[first], ends));
  }
  EXPECT_EQ(sum.failure(), "");
  return sum.sum();
}

void expectEqual(const CsrRows<Types>& C, const Dense& expected, std::int64_t rows) {
  const Csr reference = csrOf(expected, rows);
  ASSERT_EQ(C.rows(), rows);
  ASSERT_EQ(C.columns.extent(0), reference.columns.size());
  for (std::int64_t i = 0; i <= rows; ++i) ASSERT_EQ(C.rowPtr(i), reference.rowPtr[i]);
  for (std::size_t e = 0; e < reference.columns.size(); ++e) {
    EXPECT_EQ(C.columns(e), reference.columns[e]);
    EXPECT_EQ(C.values(e), reference.values[e]);  // small integers: exact
  }
}

class LocalProducts : public testing::TestWithParam<bool> {
 protected:
  LocalProduct<Types>& product() {
    if (GetParam()) return host_;
    return kernels_;
  }
  HostProduct<Types> host_;
  KokkosKernelsProduct<Types> kernels_;
};

TEST_P(LocalProducts, equalTheDefinitionForAnyBatchesOfRounds) {
  const Dense a = randomMatrix(40, 60, 6, 1);
  const Dense b = randomMatrix(60, 300, 9, 2);
  const Rounds rounds(a, 40, b, 300, {0, 15, 15, 32, 60});
  for (const bool skipZeros : {true, false})
    for (const int roundsPerBatch : {1, 2, 3, 4})
      expectEqual(multiply(product(), rounds, roundsPerBatch, skipZeros), Reference::product(a, b, skipZeros),
                  40);
}

TEST_P(LocalProducts, takeEmptyOperands) {
  const Dense nothing;
  expectEqual(multiply(product(), Rounds(nothing, 0, nothing, 0, {0, 0}), 1, true), nothing, 0);
  expectEqual(multiply(product(), Rounds(nothing, 5, nothing, 0, {0, 3}), 1, true), nothing, 5);
  expectEqual(multiply(product(), Rounds(nothing, 5, randomMatrix(3, 4, 2, 1), 4, {0, 3}), 1, true), nothing,
              5);
  expectEqual(multiply(product(), Rounds(randomMatrix(5, 3, 2, 1), 5, nothing, 4, {0, 3}), 1, true), nothing,
              5);
}

// A grid of points with some unknowns each, all coupled to those of the neighbours: runs of rows of one
// pattern, moved by 0 or 1, that break at the grid's borders.
Dense gridMatrix(int nx, int ny, int unknowns) {
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

TEST_P(LocalProducts, computeRowsOfOnePatternAsAnyOthers) {
  for (const int unknowns : {1, 2, 3}) {
    const Dense grid = gridMatrix(13, 5, unknowns);
    const std::int64_t n = std::int64_t{13} * 5 * unknowns;
    for (const int roundsPerBatch : {1, 2, 3})
      expectEqual(multiply(product(), Rounds(grid, n, grid, n, {0, n / 3, n / 2, n}), roundsPerBatch, true),
                  Reference::product(grid, grid, true), n);
  }
}

TEST_P(LocalProducts, breakARunOfOnePatternAtStoredZeros) {
  const std::int64_t n = 60;
  Dense grid = gridMatrix(60, 1, 1);
  for (const std::int64_t i : {20, 21, 33, 40}) grid.row[i][i] = 0;
  grid.row[50][49] = 0;
  for (const bool skipZeros : {true, false})
    expectEqual(multiply(product(), Rounds(grid, n, grid, n, {0, n}), 1, skipZeros),
                Reference::product(grid, grid, skipZeros), n);
}

TEST_P(LocalProducts, takeRunsOfOnePatternWhoseRowsOfBDiffer) {
  const std::int64_t n = 60;
  const Dense grid = gridMatrix(60, 1, 1);
  Dense b = gridMatrix(60, 1, 2);  // 120 x 120: its first 60 rows
  b.row.erase(b.row.lower_bound(n), b.row.end());
  b.row[30].erase(b.row[30].begin());
  b.row.erase(41);
  expectEqual(multiply(product(), Rounds(grid, n, b, 120, {0, n}), 1, true),
              Reference::product(grid, b, true), n);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LocalProducts, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "host" : "kokkoskernels"; });

TEST(HostProduct, keepsNansAndInfinities) {
  Dense a, b;
  a.row[0][0] = std::numeric_limits<double>::infinity();
  a.row[1][1] = 0.0;
  b.row[0][0] = 2;
  b.row[0][1] = std::nan("");
  b.row[1][1] = std::numeric_limits<double>::infinity();
  HostProduct<Types> product;
  const auto C = multiply(product, Rounds(a, 2, b, 2, {0, 2}), 1, false);

  ASSERT_EQ(C.columns.extent(0), 3U);
  EXPECT_TRUE(std::isinf(C.values(0)));
  EXPECT_TRUE(std::isnan(C.values(1)));
  EXPECT_TRUE(std::isnan(C.values(2)));
}

TEST(HostProduct, wideBlocksCostWhatTheirRowsTouch) {
  const std::int64_t width = 150000000;
  Dense a, b, c;
  a.row[0][0] = 1;
  a.row[0][1] = 1;
  for (const std::int64_t j :
       {std::int64_t{0}, std::int64_t{63}, std::int64_t{64}, std::int64_t{262144}, width - 1}) {
    b.row[0][j] = 1;
    b.row[1][j] = 2;
    c.row[0][j] = 3;
  }
  HostProduct<Types> product;
  expectEqual(multiply(product, Rounds(a, 1, b, width, {0, 2}), 1, true), c, 1);
}

// A band of five on a grid of n points: rows alike, but for the ends and a row that is not.
Dense bandMatrix(std::int64_t n) {
  Dense matrix;
  for (std::int64_t i = 0; i < n; ++i)
    for (const std::int64_t d : {-9, -1, 0, 1, 9})
      if (i + d >= 0 && i + d < n && i % 37 != 20)
        matrix.row[i][i + d] = static_cast<double>((i + 3 * d) % 5 + 6);
  return matrix;
}

// Values into a known pattern, own columns first or in any order: to the bit what the product itself gives.
TEST(HostProduct, fillsPatternsOfStructuredAndOtherMatrices) {
  HostProduct<Types> product;
  for (const Dense& a : {bandMatrix(200), randomMatrix(200, 200, 6, 5)})
    for (const int roundsPerBatch : {1, 3})
      for (const bool rotates : {true, false}) {
        const Rounds rounds(a, 200, a, 200, {0, 60, 100, 200});
        const CsrRows<Types> C = multiply(product, rounds, roundsPerBatch, true);
        const std::int64_t ownFirst = 60, ownEnd = 100;
        // The pattern: own columns numbered from 0, then the others; or all backwards.
        std::vector<int> columns, blockColumnOf;
        std::vector<double> wanted, values(C.columns.extent(0), 0);
        for (std::int64_t c = ownFirst; c < ownEnd; ++c) blockColumnOf.push_back(static_cast<int>(c));
        for (std::int64_t c = 0; c < 200; ++c)
          if (c < ownFirst || c >= ownEnd) blockColumnOf.push_back(static_cast<int>(c));
        std::vector<int> numberOf(200);
        for (int number = 0; number < 200; ++number) numberOf[blockColumnOf[number]] = number;
        for (std::int64_t i = 0; i < 200; ++i) {
          std::vector<std::pair<int, double>> row;
          for (std::size_t e = C.rowPtr(i); e < C.rowPtr(i + 1); ++e)
            row.emplace_back(numberOf[C.columns(e)], C.values(e));
          std::sort(row.begin(), row.end());
          if (!rotates) std::reverse(row.begin(), row.end());
          for (const auto& [number, value] : row) {
            columns.push_back(number);
            wanted.push_back(value);
          }
        }
        const KnownPattern<Types> pattern{
            C.rowPtr.data(), columns.data(), blockColumnOf.data(), values.data(), rotates, ownFirst, ownEnd};
        RoundSum<Types> sum(product, {200, 200, true}, [] {});
        sum.fillPattern(pattern);
        for (int t = 0; t < 3; ++t)
          sum.accumulate(
              rounds.sliceOfA(static_cast<std::size_t>(t)),
              rounds.tileOfB(static_cast<std::size_t>(t), rounds.start[t / roundsPerBatch * roundsPerBatch],
                             (t + 1) % roundsPerBatch == 0 || t == 2));
        EXPECT_EQ(sum.failure(), "");
        EXPECT_EQ(values, wanted) << "rotates " << rotates << ", batches of " << roundsPerBatch;
      }
}

TEST(RoundSum, aFailureIsKeptAndTheRoundsGoOn) {
  class Failing : public LocalProduct<Types> {
   public:
    const char* name() const override { return "failing"; }
    CsrRows<Types> multiply(const LocalOperands<Types>&, const std::function<void()>&,
                            std::int64_t&) override {
      throw std::runtime_error("out of luck");
    }
  } product;
  const Dense a = randomMatrix(4, 6, 2, 1);
  const Rounds rounds(a, 4, randomMatrix(6, 5, 2, 2), 5, {0, 3, 6});
  RoundSum<Types> sum(product, {4, 5, true}, [] {});

  sum.accumulate(rounds.sliceOfA(0), rounds.tileOfB(0, 0, true));
  sum.accumulate(rounds.sliceOfA(1), rounds.tileOfB(1, 3, true));

  EXPECT_EQ(sum.failure(), "out of luck");
}

}  // namespace
