// The matrix generators: known small cases, row order, and independence of how the rows are cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

#include "io/Trident_Generators.hpp"

namespace {

using namespace Trident::IO;

using Rows = std::function<RowBlock(std::int64_t, std::int64_t)>;

struct Generator {
  std::string name;
  std::int64_t rows, cols;
  Rows make;
};

std::vector<Generator> generators() {
  return {
      {"erdosRenyi", 211, 211, [](auto a, auto b) { return erdosRenyi(211, 9, 7, a, b); }},
      {"erdosRenyi full", 12, 12, [](auto a, auto b) { return erdosRenyi(12, 40, 7, a, b); }},
      {"rmat", 256, 256, [](auto a, auto b) { return rmat(8, 11, 7, a, b); }},
      {"rmat one vertex", 1, 1, [](auto a, auto b) { return rmat(0, 3, 7, a, b); }},
      {"stencil7", 140, 140, [](auto a, auto b) { return stencil7(7, 5, 4, a, b); }},
      {"stencil27", 140, 140, [](auto a, auto b) { return stencil27(7, 5, 4, a, b); }},
      {"aggregation", 100, 15, [](auto a, auto b) { return aggregation(100, 7, a, b); }},
  };
}

void append(RowBlock& whole, const RowBlock& part) {
  const std::size_t shift = whole.col.size();
  for (std::size_t k = 1; k < part.rowPtr.size(); ++k) whole.rowPtr.push_back(part.rowPtr[k] + shift);
  whole.col.insert(whole.col.end(), part.col.begin(), part.col.end());
  whole.value.insert(whole.value.end(), part.value.begin(), part.value.end());
}

bool equal(const RowBlock& a, const RowBlock& b) {
  return a.firstRow == b.firstRow && a.rowPtr == b.rowPtr && a.col == b.col && a.value == b.value;
}

TEST(Generators, sameMatrixForAnyCut) {
  for (const Generator& generator : generators()) {
    SCOPED_TRACE(generator.name);
    const RowBlock whole = generator.make(0, generator.rows);
    for (const std::int64_t parts : {2, 3, 16, 300}) {
      RowBlock joined;
      for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t first = part * generator.rows / parts;
        const RowBlock block = generator.make(first, (part + 1) * generator.rows / parts);
        EXPECT_EQ(block.firstRow, first);
        append(joined, block);
      }
      EXPECT_TRUE(equal(whole, joined)) << parts << " parts";
    }
  }
}

TEST(Generators, rowsAreSortedAndDistinct) {
  for (const Generator& generator : generators()) {
    SCOPED_TRACE(generator.name);
    const RowBlock block = generator.make(0, generator.rows);
    ASSERT_EQ(block.rowPtr.size(), static_cast<std::size_t>(generator.rows) + 1);
    EXPECT_EQ(block.rowPtr.back(), block.col.size());
    EXPECT_EQ(block.value.size(), block.col.size());
    for (std::size_t i = 0; i + 1 < block.rowPtr.size(); ++i)
      for (std::size_t k = block.rowPtr[i]; k < block.rowPtr[i + 1]; ++k) {
        EXPECT_TRUE(0 <= block.col[k] && block.col[k] < generator.cols);
        EXPECT_TRUE(k == block.rowPtr[i] || block.col[k - 1] < block.col[k]);
      }
  }
}

TEST(Generators, refusedArguments) {
  EXPECT_THROW(erdosRenyi(5, 2, 1, 3, 6), std::invalid_argument);
  EXPECT_THROW(erdosRenyi(5, 2, 1, -1, 2), std::invalid_argument);
  EXPECT_THROW(erdosRenyi(5, 2, 1, 3, 2), std::invalid_argument);
  EXPECT_THROW(erdosRenyi(5, -1, 1, 0, 5), std::invalid_argument);
  EXPECT_THROW(rmat(32, 1, 1, 0, 1), std::invalid_argument);
  EXPECT_THROW(rmat(-1, 1, 1, 0, 1), std::invalid_argument);
  EXPECT_THROW(stencil7(0, 1, 1, 0, 0), std::invalid_argument);
  EXPECT_THROW(stencil27(std::int64_t(1) << 31, std::int64_t(1) << 31, 4, 0, 1), std::invalid_argument);
  EXPECT_THROW(aggregation(5, 0, 0, 5), std::invalid_argument);
  EXPECT_EQ(erdosRenyi(0, 3, 1, 0, 0).rowPtr, std::vector<std::size_t>{0});
}

// Fixed for good: another machine, compiler or version must make the same matrices.
TEST(Generators, randomNumbersStay) {
  EXPECT_EQ(counterRandom(0, 0, 0), 0x238275bc38fcbe91U);
  EXPECT_EQ(counterRandom(1, 2, 3), 0x8568f7c4e53b5a35U);
  EXPECT_NE(counterRandom(1, 2, 3), counterRandom(1, 3, 2));
}

TEST(Generators, erdosRenyiIsUniform) {
  const std::int64_t n = 1000;
  const RowBlock block = erdosRenyi(n, 20, 3, 0, n);
  std::vector<int> inColumn(static_cast<std::size_t>(n));
  for (const std::int64_t col : block.col) ++inColumn[static_cast<std::size_t>(col)];
  // 20 draws give 19.81 distinct columns on average; columns then hold 19.8 +- 4.4 entries.
  EXPECT_NEAR(static_cast<double>(block.col.size()), 19811.0, 60.0);
  EXPECT_GT(*std::min_element(inColumn.begin(), inColumn.end()), 3);
  EXPECT_LT(*std::max_element(inColumn.begin(), inColumn.end()), 45);
  const auto [low, high] = std::minmax_element(block.value.begin(), block.value.end());
  EXPECT_TRUE(1.0 <= *low && *low < 1.01 && 1.99 < *high && *high < 2.0);
  EXPECT_NEAR(
      std::accumulate(block.value.begin(), block.value.end(), 0.0) / static_cast<double>(block.value.size()),
      1.5, 0.01);
  EXPECT_FALSE(equal(block, erdosRenyi(n, 20, 4, 0, n)));
}

// Columns beyond 2^32 need all bits of the random number.
TEST(Generators, erdosRenyiBeyond32Bits) {
  const std::int64_t n = std::int64_t(1) << 40;
  const RowBlock block = erdosRenyi(n, 100, 3, n - 1, n);
  EXPECT_EQ(block.col.size(), 100U);
  const auto odd = std::count_if(block.col.begin(), block.col.end(), [](auto col) { return col % 2 == 1; });
  const auto upper =
      std::count_if(block.col.begin(), block.col.end(), [n](auto col) { return col >= n / 2; });
  EXPECT_NEAR(static_cast<double>(odd), 50, 20);
  EXPECT_NEAR(static_cast<double>(upper), 50, 20);
  EXPECT_LT(block.col.back(), n);
}

TEST(Generators, renumberingIsABijection) {
  for (int scale = 0; scale <= 12; ++scale) {
    const std::uint64_t n = std::uint64_t(1) << scale;
    for (const std::uint64_t seed : {0U, 1U, 99U}) {
      std::set<std::uint64_t> images;
      for (std::uint64_t vertex = 0; vertex < n; ++vertex) images.insert(renumberVertex(vertex, scale, seed));
      EXPECT_EQ(images.size(), n);
      EXPECT_LT(*images.rbegin(), n);
    }
  }
}

TEST(Generators, rmatKeepsEveryEdgeAndTheSkew) {
  const int scale = 10, edgesPerRow = 16;
  const std::int64_t n = 1 << scale;
  const RowBlock block = rmat(scale, edgesPerRow, 5, 0, n);
  EXPECT_EQ(std::accumulate(block.value.begin(), block.value.end(), 0.0), 16.0 * 1024.0);
  // Vertex 0 before the renumbering is the upper half on each of 10 levels: .76^10 of all edges leave it.
  const auto hub = static_cast<std::size_t>(renumberVertex(0, scale, 5));
  double outEdges = 0;
  for (std::size_t k = block.rowPtr[hub]; k < block.rowPtr[hub + 1]; ++k) outEdges += block.value[k];
  EXPECT_NEAR(outEdges, 16384 * 0.0643, 120.0);
  EXPECT_FALSE(equal(block, rmat(scale, edgesPerRow, 6, 0, n)));
}

TEST(Generators, rmatQuadrants) {
  const RowBlock block = rmat(1, 50000, 11, 0, 2);
  ASSERT_EQ(block.col, (std::vector<std::int64_t>{0, 1, 0, 1}));
  const bool swapped = renumberVertex(0, 1, 11) == 1;
  EXPECT_NEAR(block.value[swapped ? 3 : 0] / 1e5, .57, .01);
  EXPECT_NEAR(block.value[1] / 1e5, .19, .01);
  EXPECT_NEAR(block.value[2] / 1e5, .19, .01);
  EXPECT_NEAR(block.value[swapped ? 0 : 3] / 1e5, .05, .01);
}

TEST(Generators, stencil7Line) {
  const RowBlock block = stencil7(3, 1, 1, 0, 3);
  EXPECT_EQ(block.rowPtr, (std::vector<std::size_t>{0, 2, 5, 7}));
  EXPECT_EQ(block.col, (std::vector<std::int64_t>{0, 1, 0, 1, 2, 1, 2}));
  EXPECT_EQ(block.value, (std::vector<double>{6, -1, -1, 6, -1, -1, 6}));
}

TEST(Generators, stencilCentreRows) {
  const RowBlock seven = stencil7(3, 3, 3, 13, 14);
  EXPECT_EQ(seven.col, (std::vector<std::int64_t>{4, 10, 12, 13, 14, 16, 22}));
  const RowBlock all = stencil27(3, 3, 3, 13, 14);
  std::vector<std::int64_t> everyColumn(27);
  std::iota(everyColumn.begin(), everyColumn.end(), 0);
  EXPECT_EQ(all.col, everyColumn);
  EXPECT_EQ(all.value[13], 26.0);
}

// Row sums count the neighbours cut off at the boundary; entries follow from the products of line lengths.
TEST(Generators, stencilSums) {
  const std::int64_t nx = 6, ny = 5, nz = 4, n = nx * ny * nz;
  const RowBlock seven = stencil7(nx, ny, nz, 0, n);
  const RowBlock all = stencil27(nx, ny, nz, 0, n);
  EXPECT_EQ(seven.col.size(), static_cast<std::size_t>(7 * n - 2 * (ny * nz + nx * nz + nx * ny)));
  EXPECT_EQ(all.col.size(), static_cast<std::size_t>((3 * nx - 2) * (3 * ny - 2) * (3 * nz - 2)));
  for (std::int64_t row = 0; row < n; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const auto edges = [](std::int64_t x, std::int64_t size) { return (x == 0) + (x == size - 1); };
    const int ex = edges(row % nx, nx), ey = edges(row / nx % ny, ny), ez = edges(row / nx / ny, nz);
    const auto sum = [i](const RowBlock& block) {
      double total = 0;
      for (std::size_t k = block.rowPtr[i]; k < block.rowPtr[i + 1]; ++k) total += block.value[k];
      return total;
    };
    EXPECT_EQ(sum(seven), ex + ey + ez);
    EXPECT_EQ(sum(all), 27 - (3 - ex) * (3 - ey) * (3 - ez));
  }
}

TEST(Generators, aggregationIsPiecewiseConstant) {
  const RowBlock block = aggregation(8, 3, 2, 8);
  EXPECT_EQ(block.firstRow, 2);
  EXPECT_EQ(block.col, (std::vector<std::int64_t>{0, 1, 1, 1, 2, 2}));
  EXPECT_EQ(block.value, std::vector<double>(6, 1.0));
  EXPECT_EQ(block.rowPtr, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
}

}  // namespace
