// Rows multiplied in pieces while rounds are still to come: whatever is done when, the result has the bits of
// a product of all rounds at once, and as many multiplications.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "TestRounds.hpp"

namespace {

using namespace Trident;
using namespace Trident::RoundsTest;

// Values whose sums depend on their order, and some zeros.
Dense realValued(Dense matrix) {
  for (auto& [i, row] : matrix.row)
    for (auto& [j, value] : row)
      value = (i + j) % 11 == 5 ? 0 : (value + 0.1) / (3 + static_cast<double>((i * 7 + j) % 17));
  return matrix;
}

// They are views of `rounds`.
LocalOperands<Types> allRounds(const Rounds& rounds, bool skipZeros) {
  LocalOperands<Types> operands{
      {}, rounds.tileOfB(0, 0, true), rounds.rows, rounds.start.back(), rounds.width, skipZeros};
  for (std::size_t r = 0; r < rounds.A.size(); ++r) {
    const TileSlice<Types> slice = rounds.sliceOfA(r);
    operands.A.push_back(
        {rowPointers<Types>(slice.rowLengths), slice.columns, slice.values, rounds.start[r]});
  }
  return operands;
}

// How rounds come and what is done in between, drawn from a seed.
class Way {
 public:
  explicit Way(unsigned seed) : random_(seed) {
    const std::int64_t sizes[] = {1, 2, 10, 100, 1 << 18};
    productsPerPiece_ = sizes[random_() % 5];
    roundsPerBatch_ = 1 + static_cast<int>(random_() % 5);
  }

  // All rounds go into `sum`.
  void take(RoundSum<Types>& sum, const Rounds& rounds) {
    const auto count = static_cast<int>(rounds.A.size());
    for (int t = 0; t < count; ++t) {
      const int first = t / roundsPerBatch_ * roundsPerBatch_;
      const bool ends = (t + 1) % roundsPerBatch_ == 0 || t + 1 == count;
      GatheredTile<Types> B = rounds.tileOfB(static_cast<std::size_t>(t), rounds.start[first], ends);
      B.readable = ends || random_() % 4 != 0;
      B.last = t + 1 == count;
      sum.accumulate(rounds.sliceOfA(static_cast<std::size_t>(t)), B);
      for (unsigned calls = random_() % 3 == 0 ? 1000 : random_() % 20; calls > 0; --calls)
        if (!sum.workWhileWaiting()) break;
    }
  }

  SliceShape shapeOf(const Rounds& rounds, bool skipZeros) const {
    return {rounds.rows, {0, rounds.width}, skipZeros, productsPerPiece_};
  }

 private:
  std::mt19937 random_;
  std::int64_t productsPerPiece_ = 1;
  int roundsPerBatch_ = 1;
};

template <class View>
bool sameBits(const View& a, const View& b) {
  return a.extent(0) == b.extent(0) &&
         (a.extent(0) == 0 ||
          std::memcmp(a.data(), b.data(), a.extent(0) * sizeof(typename View::value_type)) == 0);
}

// The columns of a result numbered backwards, as in a pattern of somebody else's.
struct Pattern {
  CsrRows<Types> wanted;
  std::vector<int> columns, blockColumnOf;
  std::vector<double> values;

  Pattern(CsrRows<Types> C, std::int64_t width) : wanted(std::move(C)), values(wanted.columns.extent(0), 0) {
    for (std::int64_t c = width; c > 0; --c) blockColumnOf.push_back(static_cast<int>(c - 1));
    for (std::size_t e = 0; e < values.size(); ++e)
      columns.push_back(static_cast<int>(width) - 1 - wanted.columns(e));
  }

  KnownPattern<Types> known() {
    return {wanted.rowPtr.data(), columns.data(), blockColumnOf.data(), values.data()};
  }

  bool holdsWhatIsWanted() const {
    return values.empty() ||
           std::memcmp(values.data(), wanted.values.data(), values.size() * sizeof(double)) == 0;
  }
};

void expectTheBitsOfOneProduct(const Rounds& rounds, const std::string& what) {
  for (const bool skipZeros : {true, false}) {
    HostProduct<Types> product;
    std::int64_t multiplications = 0;
    const LocalOperands<Types> operands = allRounds(rounds, skipZeros);
    const CsrRows<Types> wanted = product.multiply(
        operands, [] {}, multiplications);
    EXPECT_GE(product.entriesAtMost(operands), static_cast<std::int64_t>(wanted.columns.extent(0))) << what;
    for (unsigned seed = 0; seed < 60; ++seed) {
      SCOPED_TRACE(what + ", seed " + std::to_string(seed));
      Way way(seed);
      RoundSum<Types> sum(product, way.shapeOf(rounds, skipZeros), [] {});
      way.take(sum, rounds);
      ASSERT_EQ(sum.failure(), "");
      const CsrRows<Types> C = sum.sum();
      EXPECT_TRUE(sameBits(C.rowPtr, wanted.rowPtr));
      EXPECT_TRUE(sameBits(C.columns, wanted.columns));
      EXPECT_TRUE(sameBits(C.values, wanted.values));
      EXPECT_EQ(sum.multiplications(), multiplications);

      Pattern pattern(wanted, rounds.width);
      const KnownPattern<Types> known = pattern.known();
      RoundSum<Types> into(product, way.shapeOf(rounds, skipZeros), [] {});
      into.fillPattern(known);
      way.take(into, rounds);
      EXPECT_EQ(into.failure(), "");
      EXPECT_TRUE(pattern.holdsWhatIsWanted());
      EXPECT_EQ(into.multiplications(), multiplications);
    }
  }
}

TEST(ContinuedRows, haveTheBitsOfOneProduct) {
  const Dense a = realValued(randomMatrix(80, 60, 6, 1));
  const Dense b = realValued(randomMatrix(60, 130, 9, 2));
  expectTheBitsOfOneProduct(Rounds(a, 80, b, 130, {0, 10, 25, 32, 47, 60}), "random");
  expectTheBitsOfOneProduct(Rounds(a, 80, b, 130, {0, 0, 10, 10, 59, 60, 60}), "rounds of any size");
  expectTheBitsOfOneProduct(Rounds(a, 80, b, 130, {0, 60}), "one round");
}

TEST(ContinuedRows, takeRowsOfOnePattern) {
  const Dense grid = realValued(gridMatrix(13, 5, 2)), band = realValued(bandMatrix(130));
  expectTheBitsOfOneProduct(Rounds(grid, 130, grid, 130, {0, 40, 90, 130}), "grid");
  expectTheBitsOfOneProduct(Rounds(band, 130, band, 130, {0, 43, 65, 130}), "band");
}

TEST(ContinuedRows, takeRowsWithoutProducts) {
  const Dense nothing;
  Dense sparse;
  sparse.row[3][5] = 2;
  sparse.row[70][1] = 0.3;
  sparse.row[79][29] = 0;
  const Dense b = realValued(randomMatrix(30, 20, 3, 4));
  expectTheBitsOfOneProduct(Rounds(sparse, 80, b, 20, {0, 10, 20, 30}), "few rows");
  expectTheBitsOfOneProduct(Rounds(nothing, 80, b, 20, {0, 10, 20, 30}), "no rows with entries");
  expectTheBitsOfOneProduct(Rounds(sparse, 80, nothing, 20, {0, 10, 20, 30}), "nothing in B");
  expectTheBitsOfOneProduct(Rounds(nothing, 0, b, 20, {0, 10, 20, 30}), "no rows at all");
  expectTheBitsOfOneProduct(Rounds(nothing, 5, nothing, 0, {0, 0, 0}), "no columns at all");
}

// A row is never cut, and a piece ends with the row with which it is as large as it may be.
TEST(ContinuedRows, endPiecesAfterTheRowThatFillsThem) {
  const Dense a = realValued(randomMatrix(40, 30, 4, 1)), b = realValued(randomMatrix(30, 50, 5, 2));
  const Rounds rounds(a, 40, b, 50, {0, 12, 30});
  const LocalOperands<Types> operands = allRounds(rounds, false);
  HostProduct<Types> product;
  std::int64_t all = 0;
  const CsrRows<Types> wanted = product.multiply(
      operands, [] {}, all);
  for (const std::int64_t most : {1, 30, 100000}) {
    detail::OutputRows<Types> C(40, 0);
    std::int64_t done = 0;
    for (BegunRows<Types> rows{0, 40, {}}; rows.first < rows.end;) {
      const std::int64_t before = done, first = rows.first;
      rows.first = product.appendRows(operands, rows, most, C, done);
      ASSERT_GT(rows.first, first);
      if (rows.first < rows.end) {
        EXPECT_GE(done - before, most);
      }
      std::int64_t withoutLast = 0;
      detail::OutputRows<Types> again(40, 0);
      if (rows.first - 1 > first)
        product.appendRows(operands, {first, rows.first - 1, {}}, all + 1, again, withoutLast);
      EXPECT_LT(withoutLast, most);
    }
    const CsrRows<Types> result = C.finish();
    EXPECT_TRUE(sameBits(result.rowPtr, wanted.rowPtr));
    EXPECT_TRUE(sameBits(result.values, wanted.values));
    EXPECT_EQ(done, all);
  }
}

TEST(ContinuedRows, ofOneProductMayHaveAnyWidths) {
  HostProduct<Types> product;
  std::int64_t multiplications = 0;
  for (const std::int64_t width : {10, 100000, 20}) {
    const Dense a = realValued(randomMatrix(5, 6, 3, 1)), b = realValued(randomMatrix(6, width, 40, 2));
    const Rounds rounds(a, 5, b, width, {0, 6});
    const LocalOperands<Types> operands = allRounds(rounds, true);
    const BegunRows<Types> rows{0, 5, {}};
    detail::OutputRows<Types> C(5, 0);
    product.appendRows(operands, rows, 1 << 20, C, multiplications);
    Pattern pattern(C.finish(), width);
    product.addRows(operands, rows, 1 << 20, pattern.known(), multiplications);
    EXPECT_TRUE(pattern.holdsWhatIsWanted());
  }
}

// Fails in the n-th piece.
class FailingAtLast : public HostProduct<Types> {
 public:
  explicit FailingAtLast(int good) : good_(good) {}

  bool failed() const { return good_ < 0; }

  std::int64_t appendRows(const LocalOperands<Types>& operands, const BegunRows<Types>& rows,
                          std::int64_t most, detail::OutputRows<Types>& C,
                          std::int64_t& multiplications) override {
    if (good_-- == 0) throw std::runtime_error("out of luck");
    EXPECT_GE(good_, 0) << "a piece after the one that failed";
    return HostProduct<Types>::appendRows(operands, rows, most, C, multiplications);
  }

 private:
  int good_;
};

TEST(ContinuedRows, keepAFailureInAnyPieceAndGoOnWithoutProducts) {
  const Dense a = realValued(randomMatrix(20, 30, 4, 1)), b = realValued(randomMatrix(30, 20, 5, 2));
  const Rounds rounds(a, 20, b, 20, {0, 8, 15, 30});
  int failures = 0;
  for (int good = 0; good < 25; ++good)
    for (const int roundsPerBatch : {1, 3}) {
      FailingAtLast product(good);
      RoundSum<Types> sum(product, {20, {0, 20}, true, 20}, [] {});
      for (int t = 0; t < 3; ++t) {
        const bool ends = roundsPerBatch == 1 || t == 2;
        GatheredTile<Types> B =
            rounds.tileOfB(static_cast<std::size_t>(t), roundsPerBatch == 1 ? rounds.start[t] : 0, ends);
        B.readable = true;
        B.last = t == 2;
        sum.accumulate(rounds.sliceOfA(static_cast<std::size_t>(t)), B);
        while (sum.workWhileWaiting()) {
        }
      }
      EXPECT_EQ(sum.failure(), product.failed() ? "out of luck" : "") << good;
      EXPECT_FALSE(sum.workWhileWaiting());
      failures += product.failed() ? 1 : 0;
    }
  EXPECT_GT(failures, 20);
}

}  // namespace
