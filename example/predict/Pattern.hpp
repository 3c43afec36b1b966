#ifndef TRIDENT_PREDICT_PATTERN_HPP
#define TRIDENT_PREDICT_PATTERN_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "Options.hpp"

namespace Predict {

/// Where the entries of a sparse matrix are.
struct Pattern {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::size_t> rowPtr = {0};
  std::vector<int> col;

  std::int64_t entries() const { return static_cast<std::int64_t>(col.size()); }
  std::size_t length(std::size_t row) const { return rowPtr[row + 1] - rowPtr[row]; }
};

/// A product C = A*B.
struct Problem {
  Pattern A;
  Pattern nonzeroA;  ///< A without its stored zeros, which travel but multiply nothing
  Pattern B;
  Pattern C;
  std::int64_t multiplications = 0;
  bool oneOperand = false;  ///< B is A itself
};

/// Reads the file of the options and multiplies it out, as patterns. Warnings go to stderr. Throws
/// std::runtime_error for a file that cannot be read or an --op that does not fit it.
Problem readProblem(const Options& options);

/// The pattern of A*B. Columns are not sorted within a row.
Pattern multiply(const Pattern& A, const Pattern& B);

Pattern transpose(const Pattern& A);

}  // namespace Predict

#endif
