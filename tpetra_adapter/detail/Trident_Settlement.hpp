#ifndef TRIDENT_SETTLEMENT_HPP
#define TRIDENT_SETTLEMENT_HPP

#include <cstdint>
#include <vector>

#include "topology/Trident_Context.hpp"

namespace Trident {
namespace detail {

/// What all ranks must know before C is completed, in one all-reduce: whether one of them failed, C's global
/// constants, and how many ranks have columns of C that this rank owns.
struct Settlement {
  std::int64_t longestRow = 0;  ///< the longest over all ranks; the others are summed
  std::int64_t failures = 0;
  std::int64_t entries = 0;
  std::int64_t columns = 0;       ///< of the local column maps
  std::int64_t otherColumns = 0;  ///< of them, owned by other ranks
  std::vector<std::int64_t>
      askers;  ///< [rank]: ranks that have columns it owns; before: 1 where this rank has
  std::vector<std::int64_t> extra;  ///< anything else that is to be summed

  /// Collective over `comm`: one all-reduce. Sizes must be the same on all ranks.
  void settle(MPI_Comm comm);
};

/// Columns of this rank that others own, told to their owners.
struct AskedColumns {
  std::vector<int> owners;           ///< ascending, as often as there are columns
  std::vector<std::int32_t> locals;  ///< local index of each there
};

/// Tells owners what is asked of them, and hears what is asked of this rank from `askers` ranks: point to
/// point.
AskedColumns exchangeAskedColumns(const Context& context, const AskedColumns& asked, std::int64_t askers);

}  // namespace detail
}  // namespace Trident

#endif
