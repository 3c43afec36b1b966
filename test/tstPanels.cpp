// Panels: C's columns run by run. Wherever their sums go (slots of C's rows, arrays of their own, a known
// pattern), the result has the bits of one product.
#include <gtest/gtest.h>

#include <cstring>

#include "TestRounds.hpp"
#include "plan/Trident_Choice.hpp"

namespace {

using namespace Trident;
using namespace Trident::RoundsTest;

template <class View>
bool sameBits(const View& a, const View& b) {
  return a.extent(0) == b.extent(0) &&
         (a.extent(0) == 0 ||
          std::memcmp(a.data(), b.data(), a.extent(0) * sizeof(typename View::value_type)) == 0);
}

// The columns [first, end) of a matrix, counted from `first`.
Dense columnsOf(const Dense& matrix, std::int64_t first, std::int64_t end) {
  Dense part;
  for (const auto& [i, row] : matrix.row)
    for (const auto& [j, value] : row)
      if (j >= first && j < end) part.row[i][j - first] = value;
  return part;
}

// Entries only where |i - j| is small: the first panel says nothing of the others.
Dense narrowBand(std::int64_t rows, std::int64_t columns) {
  Dense matrix;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = std::max<std::int64_t>(i - 5, 0); j < std::min(columns, i + 6); ++j)
      matrix.row[i][j] = 1.0 / static_cast<double>(1 + i + 2 * j);
  return matrix;
}

// A product whose panels are cut at `panelStart`.
struct Problem {
  Dense a, b;
  std::int64_t rows, inner;
  std::vector<std::int64_t> panelStart;
  std::vector<Rounds> panels;

  Problem(Dense A, Dense B, std::int64_t m, std::int64_t k, std::vector<std::int64_t> starts)
      : a(std::move(A)), b(std::move(B)), rows(m), inner(k), panelStart(std::move(starts)) {
    for (std::size_t p = 0; p + 1 < panelStart.size(); ++p)
      panels.emplace_back(a, rows, columnsOf(b, panelStart[p], panelStart[p + 1]),
                          panelStart[p + 1] - panelStart[p], cuts());
  }

  std::int64_t width() const { return panelStart.back(); }
  std::vector<std::int64_t> cuts() const { return {0, inner / 3, inner / 2, inner}; }

  void multiply(RoundSum<Types>& sum, int roundsPerBatch) const {
    for (const Rounds& rounds : panels)
      for (int t = 0; t < 3; ++t) {
        const int first = t / roundsPerBatch * roundsPerBatch;
        const bool ends = (t + 1) % roundsPerBatch == 0 || t == 2;
        sum.accumulate(rounds.sliceOfA(static_cast<std::size_t>(t)),
                       rounds.tileOfB(static_cast<std::size_t>(t), rounds.start[first], ends));
      }
    EXPECT_EQ(sum.failure(), "");
  }

  CsrRows<Types> multiply(LocalProduct<Types>& product, int roundsPerBatch) const {
    RoundSum<Types> sum(product, {rows, panelStart, true}, [] {});
    multiply(sum, roundsPerBatch);
    CsrRows<Types> C = sum.sum();
    pushTogether(C);
    return C;
  }

  CsrRows<Types> atOnce(LocalProduct<Types>& product) const {
    return Problem(a, b, rows, inner, {0, width()}).multiply(product, 3);
  }
};

std::vector<Problem> problems() {
  std::vector<Problem> all;
  const std::vector<std::vector<std::int64_t>> cuts{
      {0, 120}, {0, 60, 120}, {0, 17, 50, 90, 120}, {0, 0, 40, 40, 119, 120}};
  for (const auto& starts : cuts) {
    all.emplace_back(randomMatrix(70, 90, 8, 1), randomMatrix(90, 120, 9, 2), 70, 90, starts);
    all.emplace_back(narrowBand(120, 120), narrowBand(120, 120), 120, 120, starts);  // slots are too small
    all.emplace_back(Dense(), randomMatrix(90, 120, 9, 2), 70, 90, starts);
    all.emplace_back(randomMatrix(70, 90, 8, 3), Dense(), 70, 90, starts);
  }
  return all;
}

TEST(Panels, haveTheBitsOfOneProduct) {
  for (const Problem& problem : problems())
    for (const int roundsPerBatch : {1, 2, 3}) {
      HostProduct<Types> product;
      const CsrRows<Types> wanted = problem.atOnce(product);
      const CsrRows<Types> C = problem.multiply(product, roundsPerBatch);
      EXPECT_TRUE(sameBits(C.rowPtr, wanted.rowPtr));
      EXPECT_TRUE(sameBits(C.columns, wanted.columns));
      EXPECT_TRUE(sameBits(C.values, wanted.values));
    }
}

TEST(Panels, countEveryMultiplicationOnce) {
  for (const Problem& problem : problems()) {
    HostProduct<Types> product;
    RoundSum<Types> one(product, {problem.rows, {0, problem.width()}, true}, [] {});
    RoundSum<Types> many(product, {problem.rows, problem.panelStart, true}, [] {});
    Problem(problem.a, problem.b, problem.rows, problem.inner, {0, problem.width()}).multiply(one, 3);
    problem.multiply(many, 3);
    EXPECT_EQ(many.multiplications(), one.multiplications());
  }
}

// Own columns first, or all backwards.
TEST(Panels, fillKnownPatterns) {
  for (const Problem& problem : problems())
    for (const bool rotates : {true, false})
      for (const int roundsPerBatch : {1, 3}) {
        HostProduct<Types> product;
        const CsrRows<Types> C = problem.atOnce(product);
        const std::int64_t width = problem.width(), ownFirst = 35, ownEnd = 65;
        std::vector<int> blockColumnOf(static_cast<std::size_t>(width)), numberOf(blockColumnOf.size());
        for (std::int64_t c = 0; c < width; ++c) {
          const std::int64_t number = !rotates       ? width - 1 - c
                                      : c < ownFirst ? c + ownEnd - ownFirst
                                      : c < ownEnd   ? c - ownFirst
                                                     : c;
          blockColumnOf[number] = static_cast<int>(c);
          numberOf[c] = static_cast<int>(number);
        }
        std::vector<int> columns;
        std::vector<double> wanted, values(C.columns.extent(0), 0);
        for (std::int64_t i = 0; i < problem.rows; ++i) {
          std::vector<std::pair<int, double>> row;
          for (std::size_t e = C.rowPtr(i); e < C.rowPtr(i + 1); ++e)
            row.emplace_back(numberOf[C.columns(e)], C.values(e));
          std::sort(row.begin(), row.end());
          for (const auto& [number, value] : row) {
            columns.push_back(number);
            wanted.push_back(value);
          }
        }
        RoundSum<Types> sum(product, {problem.rows, problem.panelStart, true}, [] {});
        sum.fillPattern({C.rowPtr.data(), columns.data(), blockColumnOf.data(), values.data(), rotates,
                         ownFirst, ownEnd});
        problem.multiply(sum, roundsPerBatch);
        EXPECT_EQ(values, wanted) << "rotates " << rotates << ", batches of " << roundsPerBatch;
      }
}

ProductSizes sizesOf(std::int64_t n, std::int64_t perRow) {
  ProductSizes sizes;
  sizes.nodes = 4;
  sizes.ranks = 16;
  sizes.rows = sizes.inner = sizes.columns = n;
  sizes.entriesA = sizes.entriesB = n * perRow;
  sizes.entriesCAtMost = std::min(n * n, n * perRow * perRow);
  sizes.needed = {3 * n, 3 * n * perRow};
  return sizes;
}

int panelsOn(double bytesPerSecond, const ProductSizes& sizes) {
  const WireSizes wire{4, 12};
  Machine machine = Machine::named("1gbit");
  machine.giBytesPerSecond = bytesPerSecond;
  machine.multiplicationsPerSecond /= 8;  // as on the emulated cluster: eight ranks a core
  return panelsThatPay(static_cast<double>(sizes.needed.entries) * 12, sizes, wire, machine);
}

TEST(PanelsThatPay, areSeveralWhereExchangeAndWorkTakeAboutAsLong) {
  EXPECT_GT(panelsOn(25e6, sizesOf(60000, 64)), 3);
}

TEST(PanelsThatPay, isOneWhereOneOfThemIsShort) {
  EXPECT_EQ(panelsOn(100e9, sizesOf(60000, 64)), 1);
  EXPECT_EQ(panelsOn(1e5, sizesOf(60000, 64)), 1);
}

TEST(PanelsThatPay, isOneWhereRowsAreShort) { EXPECT_EQ(panelsOn(25e6, sizesOf(1000000, 7)), 1); }

}  // namespace
