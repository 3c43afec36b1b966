#ifndef TRIDENT_OWN_COLUMNS_FIRST_HPP
#define TRIDENT_OWN_COLUMNS_FIRST_HPP

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "detail/Trident_BlockNumbers.hpp"
#include "detail/Trident_ColumnNumbering.hpp"

namespace Trident {
namespace detail {

/// Gives rows the order and the column numbers they have in C: a row comes by ascending id, others below the
/// own ids, own, others above; own columns go first. If the others ascend, that is all there is to sort.
template <class Types>
class OwnColumnsFirst {
 public:
  using Tiles = typename Types::tile_types;
  using LO = typename Types::local_ordinal_type;
  using value_type = typename Types::impl_scalar_type;

  /// Columns and values as plain arrays.
  struct Arrays {
    LO* columns;
    value_type* values;

    void advance(std::int64_t count) {
      columns += count;
      values += count;
    }
  };

  /// `numbering` is complete and must outlive this.
  explicit OwnColumnsFirst(const ColumnNumbering& numbering) : numbering_(numbering) {}

  /// In the block's own arrays, where rows that lie apart move together. Returns the row pointers.
  typename Tiles::Offsets arrange(const BlockOfRows<Tiles>& block) {
    const BlockNumbers<Tiles> numbers(block, numbering_);
    const auto rowPtr =
        block.rowEnd.extent(0) > 0
            ? typename Tiles::Offsets("Trident::C::rowPtr", static_cast<std::size_t>(block.rows()) + 1)
            : block.rowPtr;
    Arrays to{block.columns.data(), block.values.data()};
    for (std::int64_t i = 0; i < block.rows(); ++i) {
      const Arrays from{block.columns.data() + block.rowPtr(i), block.values.data() + block.rowPtr(i)};
      const auto count = static_cast<std::int64_t>(block.endOf(i) - block.rowPtr(i));
      const OwnRange own = ownOf(block, i);
      move(from, own, count, to);
      std::transform(to.columns, to.columns + count, to.columns, std::cref(numbers));
      sortOthers(to, own.end - own.first, count);
      to.advance(count);
      rowPtr(i + 1) = static_cast<std::size_t>(to.columns - block.columns.data());
    }
    return rowPtr;
  }

  /// The rows of blocks, which ascend, side by side in other arrays that have room for them.
  void join(const std::vector<BlockOfRows<Tiles>>& blocks, Arrays to) {
    std::vector<BlockNumbers<Tiles>> numbers;
    for (const auto& block : blocks) numbers.emplace_back(block, numbering_);
    std::vector<OwnRange> own(blocks.size());
    for (std::int64_t i = 0; i < blocks.front().rows(); ++i) {
      std::int64_t owned = 0, below = 0, count = 0;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        own[b] = ownOf(blocks[b], i);
        owned += own[b].end - own[b].first;
        below += own[b].first;
        count += static_cast<std::int64_t>(blocks[b].endOf(i) - blocks[b].rowPtr(i));
      }
      Arrays toOwn = to, toBelow = to, toAbove = to;
      toBelow.advance(owned);
      toAbove.advance(owned + below);
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const auto length = static_cast<std::int64_t>(blocks[b].endOf(i) - blocks[b].rowPtr(i));
        const auto copy = [&](std::int64_t first, std::int64_t end, Arrays& there) {
          const std::size_t start = blocks[b].rowPtr(i);
          const LO* const columns = blocks[b].columns.data() + start;
          std::transform(columns + first, columns + end, there.columns, std::cref(numbers[b]));
          std::copy_n(blocks[b].values.data() + start + first, end - first, there.values);
          there.advance(end - first);
        };
        copy(0, own[b].first, toBelow);
        copy(own[b].first, own[b].end, toOwn);
        copy(own[b].end, length, toAbove);
      }
      sortOthers(to, owned, count);
      to.advance(count);
    }
  }

 private:
  // The entries of a row whose columns are this rank's own, counted in the row.
  struct OwnRange {
    std::int64_t first = 0;
    std::int64_t end = 0;
  };

  OwnRange ownOf(const BlockOfRows<Tiles>& block, std::int64_t i) const {
    const LO* const begin = block.columns.data() + block.rowPtr(i);
    const LO* const end = block.columns.data() + block.endOf(i);
    const auto below = [&](std::int64_t id) {
      return std::partition_point(begin, end, [&](LO column) { return block.firstColumn + column < id; }) -
             begin;
    };
    return {below(numbering_.ownFirst()), below(numbering_.ownEnd())};
  }

  // A row to its place, which may overlap it but does not lie behind it.
  void move(const Arrays& from, const OwnRange& own, std::int64_t count, const Arrays& to) {
    moveIn(from.columns, own, count, to.columns, ownColumns_);
    moveIn(from.values, own, count, to.values, ownValues_);
  }

  template <class Value>
  static void moveIn(const Value* from, const OwnRange& own, std::int64_t count, Value* to,
                     std::vector<Value>& buffer) {
    buffer.assign(from + own.first, from + own.end);
    Value* const below = to + (own.end - own.first);
    if (below <= from)
      std::copy(from, from + own.first, below);
    else
      std::copy_backward(from, from + own.first, below + own.first);
    if (to != from) std::copy(from + own.end, from + count, to + own.end);
    std::copy(buffer.begin(), buffer.end(), to);
  }

  void sortOthers(const Arrays& row, std::int64_t owned, std::int64_t count) {
    if (numbering_.ascends()) return;
    others_.clear();
    for (std::int64_t e = owned; e < count; ++e) others_.emplace_back(row.columns[e], row.values[e]);
    std::sort(others_.begin(), others_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t e = 0; e < others_.size(); ++e)
      std::tie(row.columns[owned + e], row.values[owned + e]) = others_[e];
  }

  const ColumnNumbering& numbering_;
  std::vector<LO> ownColumns_;
  std::vector<value_type> ownValues_;
  std::vector<std::pair<LO, value_type>> others_;
};

}  // namespace detail
}  // namespace Trident

#endif
