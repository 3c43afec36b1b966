#ifndef TRIDENT_IO_MATRIXMARKET_HPP
#define TRIDENT_IO_MATRIXMARKET_HPP

#include <string>

#include "io/Trident_Triplets.hpp"

namespace Trident::IO {

/// What to do when a symmetric file holds both (i,j) and (j,i), which the format forbids and real files do.
enum class SymmetricDuplicates {
  reject,  ///< throw
  sum,     ///< add the two, as a literal expansion of the file does (off-diagonals double)
  max      ///< keep the larger of the two; only for real symmetric matrices
};

struct ReadOptions {
  SymmetricDuplicates symmetricDuplicates = SymmetricDuplicates::reject;
  /// Refuse what would otherwise be accepted with a warning.
  bool warningsAreErrors = false;
};

/// Reads a MatrixMarket file, plain or gzip, coordinate or array.
///
/// Symmetric, skew-symmetric and hermitian files are expanded. Pattern entries get the value 1. Repeated
/// entries are summed. Explicit zeros stay, except in array files, which become sparse. Integers beyond 2^53
/// are rounded to double with a warning. Memory follows the bytes of the file, never the numbers that its
/// size line claims.
///
/// Throws std::runtime_error naming file, line, what was found and what was allowed.
TripletMatrix readMatrixMarket(const std::string& path, const ReadOptions& options = {});

}  // namespace Trident::IO

#endif
