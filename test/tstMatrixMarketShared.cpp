// The MatrixMarket reader on the shared hostile and real files; skipped where they are not at hand.
#include <gtest/gtest.h>

#include <map>

#include "ReaderCases.hpp"
#include "io/Trident_MatrixMarket.hpp"

namespace {

using namespace ReaderCases;
using namespace Trident::IO;

TEST(MatrixMarketShared, hostileFiles) {
  const std::string dir = sharedData("hostile");
  if (dir.empty()) GTEST_SKIP() << "no shared data";
  const std::map<std::string, Verdict> verdicts = {
      {"accept", Verdict::accept}, {"accept+warn", Verdict::warn}, {"reject", Verdict::reject}};
  int checked = 0;
  for (const auto& cells : readTable(dir + "/EXPECT.tsv")) {
    if (cells.at(0)[0] != 'm') continue;
    SCOPED_TRACE(cells[0]);
    Verdict verdict = verdicts.at(cells.at(1));
    // Its integers need 64 bits; the table asks readers into doubles to round and warn.
    if (cells[0] == "m38_int_gt_2e31.mtx") verdict = Verdict::warn;
    const std::string& expected = cells.at(2);
    checkMatrixMarket(dir + "/" + cells[0], verdict,
                      verdict == Verdict::reject ? expected.substr(0, expected.find(" (")) : expected);
    ++checked;
  }
  EXPECT_EQ(checked, 72);
}

/// Multiplications and sum of all entries of A*A, from row and column sums alone.
struct SquareSums {
  double multiplications = 0, sum = 0, absSum = 0;

  explicit SquareSums(const TripletMatrix& a) {
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<double> rowCount(n), rowSum(n), rowAbs(n);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
      const auto i = static_cast<std::size_t>(a.row[k]);
      rowCount[i] += 1;
      rowSum[i] += a.value[k];
      rowAbs[i] += std::abs(a.value[k]);
    }
    for (std::size_t k = 0; k < a.value.size(); ++k) {
      const auto j = static_cast<std::size_t>(a.col[k]);
      multiplications += rowCount[j];
      sum += a.value[k] * rowSum[j];
      absSum += std::abs(a.value[k]) * rowAbs[j];
    }
  }
};

TEST(MatrixMarketShared, realMatrices) {
  const std::string dir = sharedData("matrices");
  if (dir.empty()) GTEST_SKIP() << "no shared data";
  std::map<std::string, std::vector<std::string>> squares;
  for (const auto& cells : readTable(dir + "/REF_AA.tsv")) squares[cells.at(0)] = cells;
  const auto table = readTable(dir + "/INDEX.tsv");
  EXPECT_GE(table.size(), 80U);
  for (const auto& cells : table) {
    SCOPED_TRACE(cells.at(0));
    const std::string path = dir + "/" + cells[0] + ".mtx.gz";
    ReadOptions options;
    if (cells[0] == "EVA") {
      EXPECT_TRUE(contains(errorOf([&] { readMatrixMarket(path); }), "entries in both triangles"));
      options.symmetricDuplicates = SymmetricDuplicates::max;
      EXPECT_EQ(std::to_string(readMatrixMarket(path, options).value.size()), cells.at(9));
      options.symmetricDuplicates = SymmetricDuplicates::sum;
    }
    const TripletMatrix matrix = readMatrixMarket(path, options);
    EXPECT_EQ(std::to_string(matrix.rows), cells.at(1));
    EXPECT_EQ(std::to_string(matrix.cols), cells.at(2));
    EXPECT_EQ(matrix.field, cells.at(5));
    EXPECT_EQ(matrix.symmetry, cells.at(6));
    EXPECT_EQ(std::to_string(matrix.value.size()), cells.at(9));
    if (squares.count(cells[0]) == 0) continue;
    const SquareSums sums(matrix);
    EXPECT_EQ(sums.multiplications, std::stod(squares[cells[0]].at(1)));
    if (matrix.field != "complex") {
      EXPECT_NEAR(sums.sum, std::stod(squares[cells[0]].at(3)), 1e-13 * sums.absSum);
    }
  }
}

}  // namespace
