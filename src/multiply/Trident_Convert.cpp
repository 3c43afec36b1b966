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

ColumnCut cutByColumnBlock(const NodeGrid& grid, const IndexSpace& columns) {
  ColumnCut cut;
  for (int j = 0; j < grid.cols; ++j) {
    cut.start.push_back(columns.columnBlockStart(j));
    cut.nodeColumn.push_back(j);
  }
  cut.start.push_back(columns.size());
  return cut;
}

}  // namespace Trident
