#ifndef TRIDENT_BENCH_CASES_HPP
#define TRIDENT_BENCH_CASES_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "io/Trident_Generators.hpp"

namespace Bench {

/// A matrix, all of it.
struct Matrix {
  Trident::IO::RowBlock rows;
  std::int64_t columnCount = 0;

  std::int64_t rowCount() const { return static_cast<std::int64_t>(rows.rowPtr.size()) - 1; }
  std::int64_t entries() const { return static_cast<std::int64_t>(rows.col.size()); }
};

/// A product to be measured: A*A, or A*B where B is given.
struct Case {
  std::string name;
  std::string what;       ///< how A and B are made
  bool accepted = false;  ///< --check holds the limits against it
  Matrix A, B;
  bool square = true;

  const Matrix& right() const { return square ? A : B; }
};

/// Names of all cases, in the order in which they are run.
std::vector<std::string> caseNames();

/// Throws std::invalid_argument for an unknown name.
Case makeCase(const std::string& name);

}  // namespace Bench

#endif
