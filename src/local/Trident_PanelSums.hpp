#ifndef TRIDENT_PANEL_SUMS_HPP
#define TRIDENT_PANEL_SUMS_HPP

#include <algorithm>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "local/Trident_LocalProduct.hpp"
#include "local/detail/Trident_SlottedRows.hpp"
#include "observe/Trident_Trace.hpp"

namespace Trident {

/// The panels of C(i,j,k), side by side in the end. Several panels on host memory only.
///
/// Panels after the first are summed straight into slots of C's rows if the product can do that and the rows
/// of all panels are about as long as those of the first; otherwise each by itself, and copied at the end.
template <class Types>
class PanelSums {
 public:
  /// First column of each panel and the end.
  explicit PanelSums(std::vector<std::int64_t> panelStart) : start_(std::move(panelStart)) {}

  int panels() const { return static_cast<int>(start_.size()) - 1; }

  /// The panel whose turn it is, and its columns.
  int next() const { return next_; }
  std::int64_t first() const { return start_[next_]; }
  std::int64_t end() const { return start_[next_ + 1]; }

  /// The next panel is in place elsewhere.
  void skip() { ++next_; }

  /// Adds the next panel. `slots`: the others are to be multiplied into slots, if they fit.
  void add(CsrRows<Types> panel, bool slots) {
    if (slots_) endSlots();
    if (!(next_ == 0 && panels() > 1 && slots && makeSlots(panel)))
      finished_.push_back({first(), std::move(panel)});
    ++next_;
  }

  /// Multiplies the next panel, all of whose rounds `batch` has, into the slots of C's rows. False if there
  /// are none, or a row does not fit: then nothing has been done.
  bool multiply(LocalProduct<Types>& product, const LocalOperands<Types>& batch,
                const std::function<void()>& progress, std::int64_t& multiplications) {
    if (!slots_) return false;
    const std::int64_t before = multiplications;
    if (product.multiplyIntoSlots(batch, static_cast<Ordinal>(first()), *slots_, progress, multiplications)) {
      slots_->endPanel();
      ++next_;
      return true;
    }
    multiplications = before;
    slots_->dropPanel();
    endSlots();
    return false;
  }

  /// All panels. The rows may lie apart.
  CsrRows<Types> sum() {
    const TraceSpan span("sum");
    if (slots_) return slots_->finish();
    if (finished_.size() == 1) return std::move(finished_.front().rows);
    return sideBySide();
  }

 private:
  using Ordinal = typename Types::ordinal_type;

  // One panel, or several that are together already; columns count from `start`.
  struct Finished {
    std::int64_t start;
    CsrRows<Types> rows;
  };

  // Slots take more memory than C; where that is not there, C may be all the same.
  bool makeSlots(const CsrRows<Types>& panel) {
    try {
      slots_.emplace(panel, panels());
    } catch (const std::bad_alloc&) {
      slots_.reset();
    }
    return slots_.has_value();
  }

  // The panels so far stay as they are; those to come are on their own.
  void endSlots() {
    CsrRows<Types> rows = slots_->finish();
    slots_.reset();
    pushTogether(rows);
    finished_.push_back({0, std::move(rows)});
  }

  CsrRows<Types> sideBySide() {
    if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                             typename Types::device_type::memory_space>::accessible) {
      std::int64_t entries = 0;
      for (const Finished& panel : finished_)
        entries += static_cast<std::int64_t>(panel.rows.columns.extent(0));
      const std::int64_t rows = finished_.front().rows.rows();
      detail::OutputRows<Types> C(rows, entries);
      C.reserve(entries);
      for (std::int64_t i = 0; i < rows; ++i) {
        std::int64_t count = 0;
        for (const Finished& panel : finished_)
          count += copyRow(panel, i, C.columns() + count, C.values() + count);
        C.endRow(count);
      }
      finished_.clear();
      return C.finish();
    } else {
      throw std::logic_error("Trident: panels are put together on host memory only; use one");
    }
  }

  static std::int64_t copyRow(const Finished& panel, std::int64_t row, Ordinal* columns,
                              typename Types::scalar_type* values) {
    const auto first = panel.rows.rowPtr(row);
    const auto count = static_cast<std::int64_t>(panel.rows.rowPtr(row + 1) - first);
    const auto start = static_cast<Ordinal>(panel.start);
    const Ordinal* const from = panel.rows.columns.data() + first;
    std::transform(from, from + count, columns,
                   [start](Ordinal column) { return static_cast<Ordinal>(column + start); });
    std::copy_n(panel.rows.values.data() + first, count, values);
    return count;
  }

  std::vector<std::int64_t> start_;
  int next_ = 0;
  std::vector<Finished> finished_;
  std::optional<detail::SlottedRows<Types>> slots_;
};

}  // namespace Trident

#endif
