#include "plan/Trident_Choice.hpp"

#include <algorithm>

namespace Trident {

Member nodeAware1D(const ProductSizes& sizes, const WireSizes& wire) {
  return {NodeGrid{sizes.nodes, 1}, TileFilter::needed,
          static_cast<double>(sizes.neededRows) * static_cast<double>(wire.row) +
              static_cast<double>(sizes.neededEntries) * static_cast<double>(wire.entry)};
}

Member wholeTiles(const NodeGrid& grid, const ProductSizes& sizes, const WireSizes& wire) {
  const double pc = grid.cols;
  const double nodes = sizes.nodes;
  const auto A = static_cast<double>(sizes.entriesA);
  const auto B = static_cast<double>(sizes.entriesB);
  const auto rows = static_cast<double>(sizes.rows);
  const auto inner = static_cast<double>(sizes.inner);

  const double fetchedRows = rows * (pc - 1) * grid.rounds() + inner * (nodes - 1);
  const double mapBackRows = rows * (pc - 1);
  const double entries = A * (pc - 1) + B * (nodes - 1) / pc + std::max(A, B) * (1.0 - 1.0 / pc);
  return {grid, TileFilter::whole,
          (fetchedRows + mapBackRows) * static_cast<double>(wire.row) +
              entries * static_cast<double>(wire.entry)};
}

Member choose(const ProductSizes& sizes, const WireSizes& wire) {
  const Member oneColumn = nodeAware1D(sizes, wire);
  const Member square = wholeTiles(NodeGrid::nearlySquare(sizes.nodes), sizes, wire);
  return square.grid.cols > 1 && square.bytes < oneColumn.bytes ? square : oneColumn;
}

}  // namespace Trident
