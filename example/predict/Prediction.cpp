#include "Prediction.hpp"

#include "exchange/Trident_NeededRows.hpp"

namespace Predict {

std::vector<Trident::NodeGrid> gridsOf(int nodes) {
  std::vector<Trident::NodeGrid> grids;
  for (int cols = 1; cols <= nodes; ++cols)
    if (nodes % cols == 0) grids.push_back({nodes / cols, cols});
  return grids;
}

std::vector<Member> membersOf(bool chain) {
  if (chain) return {{false, false}, {true, false}};
  return {{false, true}, {false, false}, {true, true}, {true, false}};
}

// The owners of rows know who needs them; tiles do not and are asked. A rank of a tile hears one count for
// each of its base blocks from each other node of its column.
std::int64_t fixedRequestBytes(const Trident::CandidateCosts& costs, int ranksPerNode, std::int64_t rowsOfB) {
  if (costs.filter != Trident::TileFilter::needed) return 0;
  const Trident::NodeGrid& grid = costs.grid;
  const std::int64_t bitmaps = Trident::NeededRows::bytesOfUnion(grid, rowsOfB);
  if (costs.fromOwners) return bitmaps;
  return bitmaps + countBytes * ranksPerNode * (grid.rows - 1) * (grid.rounds() / grid.rows);
}

// Transfers are from a slice to the same slice of another node. A conversion sends A base block by base
// block, B at once.
double messagesOf(const Trident::CandidateCosts& costs, bool chain, double messagesOfB) {
  const double rounds = costs.grid.rounds();
  const double others = costs.grid.cols - 1;  // nodes of the node's row
  const double blocksOfTile = rounds / costs.grid.cols;
  double transfers = costs.fromOwners ? rounds * others : rounds - blocksOfTile;
  if (!costs.fromOwners && !chain) transfers += (blocksOfTile + 1) * others;
  if (!chain) transfers += others;
  double requests = 0;
  if (costs.filter == Trident::TileFilter::needed)
    requests = others + (costs.fromOwners ? 0 : costs.grid.rows - 1);  // bitmaps and counts
  return transfers * arraysATransfer + requests + messagesOfB;
}

void rank(Case& which, const Trident::Machine& machine) {
  std::vector<Trident::CandidateCosts> costs;
  for (Prediction& prediction : which.predictions) {
    prediction.seconds = Trident::seconds(prediction.costs, machine);
    costs.push_back(prediction.costs);
  }
  which.best = Trident::cheapest(costs, machine);
}

}  // namespace Predict
