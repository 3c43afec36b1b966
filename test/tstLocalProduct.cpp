// The local product: both implementations against the definition, fused over rounds and over batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "TestRounds.hpp"
#include "local/Trident_KokkosKernelsProduct.hpp"

namespace {

using namespace Trident;
using namespace Trident::RoundsTest;

CsrRows<Types> multiply(LocalProduct<Types>& product, const Rounds& rounds, int roundsPerBatch,
                        bool skipZeros) {
  RoundSum<Types> sum(product, {rounds.rows, {0, rounds.width}, skipZeros}, [] {});
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
        RoundSum<Types> sum(product, {200, {0, 200}, true}, [] {});
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
  RoundSum<Types> sum(product, {4, {0, 5}, true}, [] {});

  sum.accumulate(rounds.sliceOfA(0), rounds.tileOfB(0, 0, true));
  sum.accumulate(rounds.sliceOfA(1), rounds.tileOfB(1, 3, true));

  EXPECT_EQ(sum.failure(), "out of luck");
}

}  // namespace
