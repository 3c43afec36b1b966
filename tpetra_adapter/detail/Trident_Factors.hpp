#ifndef TRIDENT_FACTORS_HPP
#define TRIDENT_FACTORS_HPP

#include "detail/Trident_JacobiStep.hpp"

namespace Trident {
namespace detail {

/// What is multiplied, transposes done or left to partial rows: R * A * B or A * B.
template <class Types>
struct Factors {
  using matrix_type = typename Types::matrix_type;

  const matrix_type* R = nullptr;  ///< null: a product of two
  const matrix_type* A = nullptr;
  const matrix_type* B = nullptr;
  JacobiStep<Types> jacobi = {};  ///< in place of A
  bool partialRows = false;       ///< the leftmost factor counts transposed; C is summed up from partial rows
};

/// Whether a factor has columns of other ranks, or may have. The same on all ranks.
template <class Types>
bool hasImporter(const Factors<Types>& factors) {
  if (factors.partialRows || factors.A->getComm()->getSize() == 1) return false;
  for (const auto* factor : {factors.R, factors.A, factors.B})
    if (factor != nullptr && !factor->getGraph()->getImporter().is_null()) return true;
  return false;
}

}  // namespace detail
}  // namespace Trident

#endif
