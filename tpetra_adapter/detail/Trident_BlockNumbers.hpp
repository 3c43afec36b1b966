#ifndef TRIDENT_BLOCK_NUMBERS_HPP
#define TRIDENT_BLOCK_NUMBERS_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include "detail/Trident_ColumnNumbering.hpp"
#include "multiply/Trident_MapBack.hpp"

namespace Trident {
namespace detail {

// What is asked for every entry of a block of rows is looked up in a table as wide as the block, if the block
// has more entries than columns: counting bits took as long as the product.

template <class Tiles>
bool isWorthATable(const BlockOfRows<Tiles>& block) {
  return block.entries() >= block.width;
}

/// Marks the columns of a block as used.
template <class Tiles>
void useColumns(const BlockOfRows<Tiles>& block, ColumnNumbering& numbering) {
  const auto forEach = [&block](const auto& visit) {
    for (std::int64_t i = 0; i < block.rows(); ++i)
      std::for_each(block.columns.data() + block.rowPtr(i), block.columns.data() + block.endOf(i), visit);
  };
  if (!isWorthATable(block)) {
    forEach([&](auto column) { numbering.use(block.firstColumn + column); });
    return;
  }
  std::vector<char> used(static_cast<std::size_t>(block.width), 0);
  forEach([&](auto column) { used[column] = 1; });
  for (std::int64_t c = 0; c < block.width; ++c)
    if (used[c] != 0) numbering.use(block.firstColumn + c);
}

/// The numbers of a block's columns, once they are numbered. `numbering` must outlive this.
template <class Tiles>
class BlockNumbers {
 public:
  using Ordinal = typename Tiles::ordinal_type;

  BlockNumbers(const BlockOfRows<Tiles>& block, const ColumnNumbering& numbering)
      : numbering_(numbering), firstColumn_(block.firstColumn) {
    if (!isWorthATable(block)) return;
    table_.resize(static_cast<std::size_t>(block.width));
    for (std::int64_t c = 0; c < block.width; ++c)
      if (numbering.isUsed(firstColumn_ + c))
        table_[c] = static_cast<Ordinal>(numbering.numberOf(firstColumn_ + c));
  }

  Ordinal operator()(Ordinal column) const {
    return table_.empty() ? static_cast<Ordinal>(numbering_.numberOf(firstColumn_ + column)) : table_[column];
  }

 private:
  const ColumnNumbering& numbering_;
  std::int64_t firstColumn_;
  std::vector<Ordinal> table_;
};

}  // namespace detail
}  // namespace Trident

#endif
