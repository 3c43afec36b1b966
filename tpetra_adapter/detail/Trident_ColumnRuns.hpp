#ifndef TRIDENT_COLUMN_RUNS_HPP
#define TRIDENT_COLUMN_RUNS_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include "layout/Trident_IndexSpace.hpp"
#include "layout/Trident_Tile.hpp"
#include "topology/Trident_NodeGrid.hpp"

namespace Trident {
namespace detail {

/// The columns of B and C cut into runs of equal width in each column block: the finest column phases.
template <class Tiles>
class ColumnRuns {
 public:
  /// `ids` are those of B's local columns.
  ColumnRuns(const NodeGrid& grid, const IndexSpace& columns, const std::vector<std::int64_t>& ids, int runs)
      : runs_(runs) {
    int j = 0;
    for (const std::int64_t id : ids) {
      while (id < columns.columnBlockStart(j)) --j;
      while (id >= columns.columnBlockStart(j + 1) && j + 1 < grid.cols) ++j;
      const std::int64_t first = columns.columnBlockStart(j);
      const std::int64_t width = std::max<std::int64_t>(columns.columnBlockStart(j + 1) - first, 1);
      runOf_.push_back(static_cast<int>((id - first) * runs / width));
    }
  }

  int count() const { return runs_; }

  /// B's entries in runs [first, end), with B's local columns.
  LocalRows<Tiles> cut(const LocalRows<Tiles>& B, int first, int end) const {
    const std::int64_t rows = B.rows();
    const auto rowPtr = allocate<typename Tiles::Offsets>("Trident::phase::rowPtr", rows + 1);
    const auto within = [&](std::size_t e) {
      const int run = runOf_[B.columns(e)];
      return run >= first && run < end;
    };
    std::size_t entries = 0;
    rowPtr(0) = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::size_t e = B.rowPtr(i); e < B.rowPtr(i + 1); ++e) entries += within(e) ? 1 : 0;
      rowPtr(i + 1) = entries;
    }
    const auto columns =
        allocate<typename Tiles::Ordinals>("Trident::phase::columns", static_cast<std::int64_t>(entries));
    const auto values =
        allocate<typename Tiles::Values>("Trident::phase::values", static_cast<std::int64_t>(entries));
    std::size_t next = 0;
    for (std::size_t e = 0; e < B.columns.extent(0); ++e)
      if (within(e)) {
        columns(next) = B.columns(e);
        values(next++) = B.values(e);
      }
    return {rowPtr, columns, values, B.columnIds};
  }

 private:
  int runs_;
  std::vector<int> runOf_;  // of each local column of B
};

}  // namespace detail
}  // namespace Trident

#endif
