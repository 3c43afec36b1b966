#ifndef TRIDENT_SLOTTED_ROWS_HPP
#define TRIDENT_SLOTTED_ROWS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "local/detail/Trident_OutputRows.hpp"

namespace Trident {
namespace detail {

/// Host arrays of a CSR matrix whose rows grow panel by panel, each in a slot of its own: what is summed is
/// written once. Slots are sized by the first panel, on the guess that the others are like it; where that is
/// wrong a row does not fit.
template <class Types>
class SlottedRows {
 public:
  using Ordinal = typename Types::ordinal_type;
  using Scalar = typename Types::scalar_type;

  /// Room for so many panels of which `first` is the first.
  SlottedRows(const CsrRows<Types>& first, int panels) : slot_(1, 0), count_(first.rows(), 0) {
    for (std::int64_t i = 0; i < first.rows(); ++i) {
      const auto entries = static_cast<double>(first.rowPtr(i + 1) - first.rowPtr(i));
      const double likely = entries + deviations * std::sqrt(entries) + 4;
      slot_.push_back(slot_.back() + static_cast<std::int64_t>(panels * likely));
    }
    columns_ = allocate<typename Types::Ordinals>("Trident::local::C::columns", slot_.back());
    values_ = allocate<typename Types::Values>("Trident::local::C::values", slot_.back());
    adviseHugePages(columns_.data(), slot_.back() * static_cast<std::int64_t>(sizeof(Ordinal)));
    adviseHugePages(values_.data(), slot_.back() * static_cast<std::int64_t>(sizeof(Scalar)));
    for (std::int64_t i = 0; i < first.rows(); ++i) {
      const auto entries = static_cast<std::int64_t>(first.rowPtr(i + 1) - first.rowPtr(i));
      std::copy_n(first.columns.data() + first.rowPtr(i), entries, columns(i));
      std::copy_n(first.values.data() + first.rowPtr(i), entries, values(i));
      count_[i] = entries;
    }
    endPanel();
  }

  /// Whether a row can take so many entries more.
  bool fits(std::int64_t row, std::int64_t entries) const {
    return slot_[row] + count_[row] + entries <= slot_[row + 1];
  }

  /// Where a row's next entries go.
  Ordinal* columns(std::int64_t row) { return columns_.data() + slot_[row] + count_[row]; }
  Scalar* values(std::int64_t row) { return values_.data() + slot_[row] + count_[row]; }

  /// So many have been written there.
  void grow(std::int64_t row, std::int64_t entries) { count_[row] += entries; }

  /// All rows have their part of a panel.
  void endPanel() { countOfPanels_ = count_; }

  /// Forgets what rows have of a panel that not all have.
  void dropPanel() { count_ = countOfPanels_; }

  /// The rows, which lie apart.
  CsrRows<Types> finish() const {
    const auto rows = static_cast<std::int64_t>(count_.size());
    CsrRows<Types> C{allocate<typename Types::Offsets>("Trident::local::C::rowPtr", rows + 1), columns_,
                     values_, allocate<typename Types::Offsets>("Trident::local::C::rowEnd", rows)};
    for (std::int64_t i = 0; i < rows; ++i) {
      C.rowPtr(i) = static_cast<std::size_t>(slot_[i]);
      C.rowEnd(i) = static_cast<std::size_t>(slot_[i] + count_[i]);
    }
    C.rowPtr(rows) = static_cast<std::size_t>(slot_[rows]);
    return C;
  }

 private:
  // By how many standard deviations of a random row's length slots are longer than the first panel says.
  static constexpr double deviations = 6;

  std::vector<std::int64_t> slot_;  // first entry of each row's slot, and the end
  std::vector<std::int64_t> count_;
  std::vector<std::int64_t> countOfPanels_;
  typename Types::Ordinals columns_;
  typename Types::Values values_;
};

}  // namespace detail
}  // namespace Trident

#endif
