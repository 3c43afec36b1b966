#include "Prediction.hpp"

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

// Transfers are from a slice to the same slice of another node.
double messagesOf(const Trident::CandidateCosts& costs, bool chain, double holdersOfB) {
  const double rounds = costs.grid.rounds();
  const double others = costs.grid.cols - 1;  // nodes of the node's row
  double transfers = costs.fromOwners ? rounds * others : rounds - rounds / costs.grid.cols;  // of A
  if (!costs.fromOwners && !chain) transfers += 2 * others;
  if (!chain) transfers += others;
  const double requests = costs.filter == Trident::TileFilter::needed ? holdersOfB + others : 0;
  return (transfers + holdersOfB) * arraysATransfer + requests;
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
