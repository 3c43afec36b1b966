#ifndef TRIDENT_NEEDED_ROWS_HPP
#define TRIDENT_NEEDED_ROWS_HPP

#include <cstdint>
#include <vector>

#include "exchange/Trident_Channel.hpp"
#include "layout/Trident_IndexSpace.hpp"

namespace Trident {

/// The rows of B that a row block of A needs: the union over the ranks that own these rows of A of the
/// columns they have. The "needed" tile filter: each of these rows crosses Gi once for a node, others not at
/// all.
///
/// On a grid of one column, all rows of the node's own base block count as needed; they are there anyway. One
/// bit a row of B.
class NeededRows {
 public:
  /// `columnIds` are the inner ids of this rank's columns of A. Collective over the nodes of the grid's row:
  /// the ranks of a node meet twice over shared memory; between the nodes of the row, each sends its bits to
  /// each other.
  NeededRows(Channel& channel, const NodeGrid& grid, const IndexSpace& inner,
             const std::vector<std::int64_t>& columnIds);

  /// Bytes that the union brings to each node of a row over Gi.
  static std::int64_t bytesOfUnion(const NodeGrid& grid, std::int64_t innerSize) {
    return (grid.cols - 1) * (innerSize / 64 + 1) * static_cast<std::int64_t>(sizeof(std::uint64_t));
  }

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

  void uniteNode(Context& context);
  void uniteByMessages(const Context& context);
  void uniteGridRow(Channel& channel, const NodeGrid& grid);

  // Needed rows with ids below `id`.
  std::int64_t before(std::int64_t id) const;

  const IndexSpace& inner_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::int64_t> beforeWord_;
};

}  // namespace Trident

#endif
