#ifndef TRIDENT_ROUND_CURSOR_HPP
#define TRIDENT_ROUND_CURSOR_HPP

#include <vector>

#include "local/Trident_LocalProduct.hpp"

namespace Trident {
namespace detail {

/// One round's operands as the plain arrays that host loops run over.
template <class Types>
struct RoundCursor {
  const std::size_t* rowPtr;
  const typename Types::ordinal_type* columns;
  const typename Types::scalar_type* values;
  const std::size_t* rowPtrOfB;  ///< of the round's first row of B
  std::int64_t firstRowOfB;      ///< in the batch
  std::size_t entries;           ///< of A
};

/// Those of all rounds of a batch, in round order. Host memory only.
template <class Types>
std::vector<RoundCursor<Types>> cursors(const LocalOperands<Types>& operands) {
  std::vector<RoundCursor<Types>> rounds;
  for (const auto& A : operands.A)
    rounds.push_back({A.rowPtr.data(), A.columns.data(), A.values.data(),
                      operands.B.rowPtr.data() + A.firstRowOfB, A.firstRowOfB, A.rowPtr(operands.rows)});
  return rounds;
}

}  // namespace detail
}  // namespace Trident

#endif
