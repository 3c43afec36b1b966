#include "Pattern.hpp"

#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>

#include "io/Trident_MatrixFile.hpp"

namespace Predict {

namespace {

namespace IO = Trident::IO;

/// Memory here follows rows and columns, and indices are ints.
void checkSize(const std::string& path, const IO::TripletMatrix& matrix) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (matrix.rows > most || matrix.cols > most)
    throw std::runtime_error(path + ": found " + std::to_string(matrix.rows) + " x " +
                             std::to_string(matrix.cols) + "; allowed: at most " + std::to_string(most) +
                             " rows and columns; --random takes larger ones");
}

Pattern patternOf(const IO::TripletMatrix& matrix, bool withZeros) {
  Pattern pattern;
  pattern.rows = matrix.rows;
  pattern.cols = matrix.cols;
  pattern.rowPtr.assign(static_cast<std::size_t>(matrix.rows) + 1, 0);
  for (std::size_t k = 0; k < matrix.row.size(); ++k) {
    if (!withZeros && matrix.value[k] == 0) continue;
    ++pattern.rowPtr[static_cast<std::size_t>(matrix.row[k]) + 1];
    pattern.col.push_back(static_cast<int>(matrix.col[k]));
  }
  for (std::size_t r = 1; r < pattern.rowPtr.size(); ++r) pattern.rowPtr[r] += pattern.rowPtr[r - 1];
  return pattern;
}

std::int64_t countMultiplications(const Pattern& A, const Pattern& B) {
  std::int64_t sum = 0;
  for (const int k : A.col) sum += static_cast<std::int64_t>(B.length(static_cast<std::size_t>(k)));
  return sum;
}

}  // namespace

Pattern transpose(const Pattern& A) {
  Pattern T;
  T.rows = A.cols;
  T.cols = A.rows;
  T.rowPtr.assign(static_cast<std::size_t>(T.rows) + 1, 0);
  for (const int k : A.col) ++T.rowPtr[static_cast<std::size_t>(k) + 1];
  for (std::size_t r = 1; r < T.rowPtr.size(); ++r) T.rowPtr[r] += T.rowPtr[r - 1];
  T.col.resize(A.col.size());
  std::vector<std::size_t> next(T.rowPtr.begin(), T.rowPtr.end() - 1);
  for (std::size_t row = 0; row < static_cast<std::size_t>(A.rows); ++row)
    for (std::size_t e = A.rowPtr[row]; e < A.rowPtr[row + 1]; ++e)
      T.col[next[static_cast<std::size_t>(A.col[e])]++] = static_cast<int>(row);
  return T;
}

Pattern multiply(const Pattern& A, const Pattern& B) {
  Pattern C;
  C.rows = A.rows;
  C.cols = B.cols;
  C.rowPtr.reserve(static_cast<std::size_t>(A.rows) + 1);
  std::vector<std::int64_t> seenIn(static_cast<std::size_t>(B.cols), -1);
  for (std::size_t row = 0; row < static_cast<std::size_t>(A.rows); ++row) {
    for (std::size_t a = A.rowPtr[row]; a < A.rowPtr[row + 1]; ++a) {
      const auto k = static_cast<std::size_t>(A.col[a]);
      for (std::size_t b = B.rowPtr[k]; b < B.rowPtr[k + 1]; ++b) {
        std::int64_t& seen = seenIn[static_cast<std::size_t>(B.col[b])];
        if (seen == static_cast<std::int64_t>(row)) continue;
        seen = static_cast<std::int64_t>(row);
        C.col.push_back(B.col[b]);
      }
    }
    C.rowPtr.push_back(C.col.size());
  }
  return C;
}

Problem readProblem(const Options& options) {
  const IO::TripletMatrix matrix =
      IO::readMatrixFile(options.matrix, IO::symmetricDuplicatesOf(options.symmetricDuplicates));
  for (const std::string& warning : matrix.warnings)
    std::cerr << "warning: " << options.matrix << ": " << warning << '\n';
  checkSize(options.matrix, matrix);
  if (options.op == "AA" && matrix.rows != matrix.cols)
    throw std::runtime_error(options.matrix + ": found " + std::to_string(matrix.rows) + " x " +
                             std::to_string(matrix.cols) + "; allowed: a square matrix, or --op AAt");
  Problem problem;
  problem.A = patternOf(matrix, true);
  problem.nonzeroA = patternOf(matrix, false);
  problem.oneOperand = options.op == "AA";
  problem.B = problem.oneOperand ? problem.A : transpose(problem.A);
  problem.C = multiply(problem.nonzeroA, problem.B);
  problem.multiplications = countMultiplications(problem.nonzeroA, problem.B);
  return problem;
}

}  // namespace Predict
