#include "multiply/Trident_Convert.hpp"

namespace Trident {

ColumnCut cutByBaseBlock(const NodeGrid& grid, const IndexSpace& inner) {
  ColumnCut cut;
  for (int block = 0; block < grid.rounds(); ++block) {
    cut.start.push_back(inner.blockStart(block));
    cut.nodeColumn.push_back(grid.colBlock(block));
  }
  cut.start.push_back(inner.size());
  return cut;
}

ColumnCut cutByColumnBlock(const NodeGrid& grid, const IndexSpace& columns, int panels) {
  ColumnCut cut;
  for (int j = 0; j < grid.cols; ++j) {
    const std::vector<std::int64_t> starts = panelStarts(columns, j, panels);
    for (int panel = 0; panel < panels; ++panel) {
      cut.start.push_back(columns.columnBlockStart(j) + starts[panel]);
      cut.nodeColumn.push_back(j);
    }
  }
  cut.start.push_back(columns.size());
  return cut;
}

std::vector<std::int64_t> panelStarts(const IndexSpace& columns, int j, int panels) {
  const std::int64_t width = columns.columnBlockStart(j + 1) - columns.columnBlockStart(j);
  std::vector<std::int64_t> starts(static_cast<std::size_t>(panels) + 1, width);
  for (int panel = 0; panel < panels; ++panel)
    starts[panel] = width / panels * panel + width % panels * panel / panels;
  return starts;
}

}  // namespace Trident
