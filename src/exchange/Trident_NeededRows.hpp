#ifndef TRIDENT_NEEDED_ROWS_HPP
#define TRIDENT_NEEDED_ROWS_HPP

#include <cstdint>
#include <vector>

#include "layout/Trident_IndexSpace.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {

/// The rows of B that a node needs: the union over its ranks of the columns that their rows of A have. The
/// "needed" tile filter: each of these rows crosses Gi once for the node, others not at all.
///
/// Of its own base block a node counts all rows as needed; they are there anyway. One bit a row of B. Grid N
/// x 1 only, where a node's rows of A are those that its ranks own.
class NeededRows {
 public:
  /// `columnIds` are the inner ids of this rank's columns of A. Collective over the node: one all-reduce.
  NeededRows(const Context& context, const NodeGrid& grid, const IndexSpace& inner,
             const std::vector<std::int64_t>& columnIds);

  /// Needed rows with ids in [first, end).
  std::int64_t count(std::int64_t first, std::int64_t end) const;

  /// Number of a needed row among those of its base block.
  std::int64_t position(std::int64_t id) const;

  /// Needed ids in [first, end), counted from `first`.
  template <class Ordinal>
  std::vector<Ordinal> list(std::int64_t first, std::int64_t end) const {
    std::vector<Ordinal> rows;
    rows.reserve(static_cast<std::size_t>(count(first, end)));
    for (std::int64_t id = first; id < end; ++id)
      if (isNeeded(id)) rows.push_back(static_cast<Ordinal>(id - first));
    return rows;
  }

 private:
  bool isNeeded(std::int64_t id) const { return (bits_[id >> 6] >> (id & 63) & 1) != 0; }

  // Needed rows with ids below `id`.
  std::int64_t before(std::int64_t id) const;

  const IndexSpace& inner_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::int64_t> beforeWord_;
};

}  // namespace Trident

#endif
