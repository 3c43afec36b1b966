#include "plan/Trident_Choice.hpp"

#include <algorithm>

namespace Trident {

Member nodeAware1D(const ProductSizes& sizes, const WireSizes& wire) {
  const double requestAndLength = 2.0 * static_cast<double>(wire.row);
  return {NodeGrid{sizes.nodes, 1}, TileFilter::needed,
          static_cast<double>(sizes.neededRows) * requestAndLength +
              static_cast<double>(sizes.neededEntries) * static_cast<double>(wire.entry)};
}

Member wholeTiles(const NodeGrid& grid, const ProductSizes& sizes, const WireSizes& wire) {
  const double pr = grid.rows;
  const double pc = grid.cols;
  const double away = 1.0 - 1.0 / pc;            // share of a row that belongs to other columns of nodes
  const double segments = grid.rounds() * away;  // base blocks held there
  const auto rows = static_cast<double>(sizes.rows);
  const auto inner = static_cast<double>(sizes.inner);
  const auto A = static_cast<double>(sizes.entriesA);
  const auto B = static_cast<double>(sizes.entriesB);

  const double convertRows = rows * segments + inner * (pc - 1);
  const double fetchRows = rows * pc * segments + inner * (pr - 1) * pc;
  const double mapBackRows = rows * (pc - 1);
  const double entries = (A + B) * away + A * (pc - 1) + B * (pr - 1) + std::max(A, B) * away;
  return {grid, TileFilter::whole,
          (convertRows + fetchRows + mapBackRows) * static_cast<double>(wire.row) +
              entries * static_cast<double>(wire.entry)};
}

Member choose(const ProductSizes& sizes, const WireSizes& wire) {
  const Member oneColumn = nodeAware1D(sizes, wire);
  const Member square = wholeTiles(NodeGrid::nearlySquare(sizes.nodes), sizes, wire);
  return square.grid.cols > 1 && square.bytes < oneColumn.bytes ? square : oneColumn;
}

}  // namespace Trident
