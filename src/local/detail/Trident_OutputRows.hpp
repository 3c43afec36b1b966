#ifndef TRIDENT_OUTPUT_ROWS_HPP
#define TRIDENT_OUTPUT_ROWS_HPP

#include <algorithm>
#include <cstdint>

#include "layout/Trident_Tile.hpp"
#include "topology/Trident_Pages.hpp"

namespace Trident {
namespace detail {

/// Host arrays of a CSR matrix that grows row by row, its size unknown until the last.
///
/// Room for an upper bound is reserved at once as long as that is cheap: pages that are never touched cost
/// nothing. Beyond that the arrays double.
template <class Types>
class OutputRows {
 public:
  /// `atMost` entries can come in all.
  OutputRows(std::int64_t rows, std::int64_t atMost)
      : rowPtr_(allocate<typename Types::Offsets>("Trident::local::C::rowPtr", rows + 1)) {
    rowPtr_(0) = 0;
    const std::int64_t cheap = std::int64_t{1} << 27;
    grow(std::min(atMost, cheap));
  }

  /// Makes room for `entries` more than there are.
  void reserve(std::int64_t entries) {
    if (entries_ + entries > capacity_) grow(std::max(entries_ + entries, 2 * capacity_));
  }

  typename Types::ordinal_type* columns() { return columns_.data() + entries_; }
  typename Types::scalar_type* values() { return values_.data() + entries_; }

  /// Ends the next row with `entries` entries written at columns() and values().
  void endRow(std::int64_t entries) {
    entries_ += entries;
    rowPtr_(++rows_) = static_cast<std::size_t>(entries_);
  }

  /// Forgets all rows, but keeps the memory, whose pages need not be taken again.
  void restart() { rows_ = entries_ = 0; }

  /// Rows `first` to `end`, which have been ended. Row pointers count from the first of all entries.
  CsrRows<Types> rows(std::int64_t first, std::int64_t end) const {
    return {Kokkos::subview(rowPtr_, std::make_pair(first, end + 1)), columns_, values_};
  }

  /// Forgets all rows but the last, which has so many entries, and begins again at the front.
  void keepLast(std::int64_t entries) {
    std::copy_n(columns_.data() + entries_ - entries, entries, columns_.data());
    std::copy_n(values_.data() + entries_ - entries, entries, values_.data());
    entries_ = entries;
  }

  std::int64_t entries() const { return entries_; }

  /// The rows ended, which need not be all that there was room for.
  CsrRows<Types> finish() {
    const auto all = std::make_pair(std::int64_t{0}, entries_);
    const auto rows = std::make_pair(std::int64_t{0}, rows_ + 1);
    return {Kokkos::subview(rowPtr_, rows), Kokkos::subview(columns_, all), Kokkos::subview(values_, all)};
  }

 private:
  void grow(std::int64_t capacity) {
    auto columns = allocate<typename Types::Ordinals>("Trident::local::C::columns", capacity);
    auto values = allocate<typename Types::Values>("Trident::local::C::values", capacity);
    adviseHugePages(columns.data(),
                    capacity * static_cast<std::int64_t>(sizeof(typename Types::ordinal_type)));
    adviseHugePages(values.data(), capacity * static_cast<std::int64_t>(sizeof(typename Types::scalar_type)));
    std::copy_n(columns_.data(), entries_, columns.data());
    std::copy_n(values_.data(), entries_, values.data());
    columns_ = columns;
    values_ = values;
    capacity_ = capacity;
  }

  typename Types::Offsets rowPtr_;
  typename Types::Ordinals columns_;
  typename Types::Values values_;
  std::int64_t rows_ = 0;
  std::int64_t entries_ = 0;
  std::int64_t capacity_ = 0;
};

}  // namespace detail
}  // namespace Trident

#endif
