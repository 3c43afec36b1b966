#include "multiply/Trident_Prediction.hpp"

#include <algorithm>
#include <array>

#include "exchange/Trident_NeededRows.hpp"

namespace Trident {
namespace {

std::vector<std::vector<std::int64_t>> partsOf(const RankTally& tally) {
  return {{tally.rows},
          {tally.inner},
          tally.A,
          tally.B,
          tally.C,
          tally.neededRows,
          tally.neededEntries,
          tally.partialRows,
          tally.partialEntries};
}

// What each node receives, from the rows and entries that each node sends to each: [from * nodes + to].
std::vector<std::int64_t> receivedBy(std::size_t nodes, const std::vector<std::int64_t>& rows,
                                     const std::vector<std::int64_t>& entries, const WireSizes& wire) {
  std::vector<std::int64_t> received(nodes, 0);
  for (std::size_t x = 0; x < rows.size(); ++x)
    received[x % nodes] += rows[x] * wire.row + entries[x] * wire.entry;
  return received;
}

}  // namespace

std::vector<std::int64_t> tallyByNode(const Context& context, const RankTally& tally) {
  const auto nodes = static_cast<std::size_t>(context.topology().nodes());
  const auto node = static_cast<std::size_t>(context.node());
  std::vector<std::int64_t> all;
  for (const auto& part : partsOf(tally)) {
    const std::size_t begin = all.size();
    all.resize(begin + part.size() * nodes, 0);
    std::copy(part.begin(), part.end(),
              all.begin() + static_cast<std::ptrdiff_t>(begin + node * part.size()));
  }
  return all;
}

void addPrediction(const Plan& plan, const RankTally& tally, const std::vector<std::int64_t>& all,
                   const WireSizes& wire, ProductReport& report) {
  std::vector<std::vector<std::int64_t>> sums;  // [part][node * size + x]
  auto next = all.begin();
  for (const auto& part : partsOf(tally)) {
    const auto end = next + static_cast<std::ptrdiff_t>(part.size()) * plan.grid.nodes();
    sums.emplace_back(next, end);
    next = end;
  }
  const NodeTally A{sums[0], sums[2]};
  const NodeTally B{sums[1], sums[3]};
  const NodeTally C{sums[0], sums[4]};
  const NodeGrid& grid = plan.grid;
  const WireSizes wireOfB{wire.row * plan.panelsOrOne(), wire.entry};  // each panel has lengths of its own
  const auto nodes = static_cast<std::size_t>(grid.nodes());
  std::array<std::vector<std::int64_t>, phaseCount> predicted;
  for (auto& phase : predicted) phase.assign(nodes, 0);
  const auto at = [&predicted](Phase phase) -> std::vector<std::int64_t>& {
    return predicted[static_cast<std::size_t>(phase)];
  };
  if (plan.partialRows) {
    at(Phase::mapBackC) = receivedBy(nodes, sums[7], sums[8], wire);
  } else if (plan.source == TileSource::tiles) {
    at(Phase::convertA) = trafficOfConversion(grid, A, grid.rounds(), wire);
    at(Phase::convertB) = trafficOfConversion(grid, B, grid.cols, wireOfB);
    at(Phase::multiplyA) = trafficOfA(grid, A, wire);
    at(Phase::multiplyB) = trafficOfB(grid, B, wireOfB);
  } else {
    at(Phase::multiplyA) = trafficOfAFromOwners(grid, A, wire);
    at(Phase::multiplyB) = trafficOfBFromOwners(grid, B, wireOfB);
  }
  if (plan.filter == TileFilter::needed && !plan.partialRows) {
    std::int64_t inner = 0;
    for (const std::int64_t rows : sums[1]) inner += rows;
    if (wire.row > 0) at(Phase::setup).assign(nodes, NeededRows::bytesOfUnion(grid, inner));
    at(Phase::multiplyB) = receivedBy(nodes, sums[5], sums[6], wire);
  }
  if (!plan.partialRows) at(Phase::mapBackC) = trafficOfMapBack(grid, C, wire);
  for (std::size_t phase = 0; phase < predicted.size(); ++phase) {
    auto& sum = report.predictedGiBytes[phase];
    sum.resize(nodes, 0);
    for (std::size_t node = 0; node < nodes; ++node) sum[node] += predicted[phase][node];
  }
}

}  // namespace Trident
