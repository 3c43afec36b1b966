#ifndef TRIDENT_PATTERN_ROW_HPP
#define TRIDENT_PATTERN_ROW_HPP

#include <algorithm>
#include <cstddef>

#include "local/Trident_LocalProduct.hpp"

namespace Trident {
namespace detail {

/// Calls visit(entry, column) for the entries of a row of a known pattern that are to be summed; columns
/// count from the pattern's first. Host memory only.
///
/// Of a panel's columns it finds the ends in rows that rotate, and looks at the whole row otherwise.
template <class Types, class Visit>
void forEachOfRow(const KnownPattern<Types>& C, std::int64_t row, const Visit& visit) {
  using Ordinal = typename Types::ordinal_type;
  const auto columnOf = [&C](std::size_t e) { return C.blockColumnOf[C.columns[e]]; };
  const std::size_t begin = C.rowPtr[row];
  const std::size_t end = C.rowPtr[row + 1];
  if (C.whole()) {
    for (std::size_t e = begin; e < end; ++e) visit(e, columnOf(e));
    return;
  }
  const auto first = static_cast<Ordinal>(C.firstColumn);
  const auto last = static_cast<Ordinal>(C.endColumn);
  if (!C.rotates) {
    for (std::size_t e = begin; e < end; ++e)
      if (const Ordinal column = columnOf(e); column >= first && column < last) visit(e, column - first);
    return;
  }
  const auto firstWhere = [](std::size_t from, std::size_t to, const auto& beyond) {
    while (from < to) {
      const std::size_t middle = from + (to - from) / 2;
      if (beyond(middle))
        to = middle;
      else
        from = middle + 1;
    }
    return from;
  };
  const std::size_t others = firstWhere(
      begin, end, [&](std::size_t e) { return columnOf(e) < C.ownFirst || columnOf(e) >= C.ownEnd; });
  for (const auto& [from, to] : {std::make_pair(begin, others), std::make_pair(others, end)}) {
    std::size_t e = firstWhere(from, to, [&](std::size_t x) { return columnOf(x) >= first; });
    for (; e < to && columnOf(e) < last; ++e) visit(e, columnOf(e) - first);
  }
}

}  // namespace detail
}  // namespace Trident

#endif
