#include "Candidates.hpp"

#include <algorithm>

#include "Count.hpp"
#include "Needs.hpp"

namespace Predict {

namespace {

/// One grid, with everything that its candidates are put together from.
struct GridCounts {
  const Problem& problem;
  const Tallies& tallies;
  GridBlocks blocks;
  TileSums A, B, C;
  Needs needs;
  int ranksPerNode;
  Setting setting;

  GridCounts(const Problem& of, const Distribution& distribution, const Tallies& counted,
             const Trident::NodeGrid& grid, const Setting& how)
      : problem(of),
        tallies(counted),
        blocks(grid),
        A(sumTiles(counted.A, blocks)),
        B(sumTiles(counted.B, blocks)),
        C(sumTiles(counted.C, blocks)),
        needs(countNeeds(of, distribution, blocks)),
        ranksPerNode(distribution.ranksPerNode),
        setting(how) {}

  const Trident::NodeGrid& grid() const { return blocks.grid; }
  std::size_t nodes() const { return static_cast<std::size_t>(grid().nodes()); }
  const Needs::From& needsFrom(bool fromOwners) const { return fromOwners ? needs.owners : needs.tiles; }
};

std::array<PhaseTraffic, phaseCount> phasesOf(const GridCounts& g, bool needed, bool fromOwners) {
  const Trident::NodeGrid& grid = g.grid();
  const PerNode zero(g.nodes(), 0);
  std::array<PhaseTraffic, phaseCount> phases;
  phases.fill({zero, zero});
  if (!fromOwners && !g.setting.chain) {
    phases[convertA] = trafficOfConversion(g.tallies.A, g.A, grid, grid.rounds());
    phases[convertB] = trafficOfConversion(g.tallies.B, g.B, grid, grid.cols);
  }
  phases[multiplyA] = trafficOfA(g.tallies.A, g.A, grid, fromOwners);
  phases[multiplyB] =
      needed ? g.needsFrom(fromOwners).traffic : trafficOfB(g.tallies.B, g.B, grid, fromOwners);
  if (!g.setting.chain) phases[mapBackC] = trafficOfMapBack(g.tallies.C, g.C, grid);
  return phases;
}

/// Where several nodes work on the same rows of A, bitmaps from the others; of tiles, counts and ids too.
PerNode requestBytesOf(const GridCounts& g, const Trident::CandidateCosts& costs) {
  PerNode bytes(g.nodes(), fixedRequestBytes(costs, g.ranksPerNode, g.problem.B.rows));
  if (costs.filter == Trident::TileFilter::needed && !costs.fromOwners)
    for (std::size_t v = 0; v < bytes.size(); ++v) bytes[v] += g.needs.askedRows[v] * requestedRowBytes;
  return bytes;
}

void sumGi(Prediction& prediction, std::size_t nodes) {
  for (std::size_t v = 0; v < nodes; ++v) {
    std::int64_t bytes = prediction.requestBytes[v];
    for (const PhaseTraffic& phase : prediction.phases)
      bytes += phase.entries[v] * entryBytes + phase.rowLengths[v] * rowLengthBytes;
    prediction.costs.giBytesMost = std::max(prediction.costs.giBytesMost, static_cast<double>(bytes));
    prediction.costs.giBytesSum += static_cast<double>(bytes);
  }
}

/// From how many holders a node receives whole tiles of B: from all that have any.
std::int64_t holdersOfWholeB(const GridCounts& g, bool fromOwners) {
  if (!fromOwners) return g.grid().rounds() - g.grid().rounds() / g.grid().rows;
  const PerNode& rows = g.tallies.B.rows;
  const auto holding = static_cast<std::int64_t>(g.nodes()) - std::count(rows.begin(), rows.end(), 0);
  return std::min(holding, static_cast<std::int64_t>(g.nodes()) - 1);
}

/// Messages that bring the busiest node's ranks rows of B, and that ask them for some.
std::int64_t messagesOfB(const GridCounts& g, bool needed, bool fromOwners) {
  if (!needed) return holdersOfWholeB(g, fromOwners) * arraysATransfer;
  std::int64_t most = 0;
  for (std::size_t v = 0; v < g.nodes(); ++v)
    most = std::max(most, g.needsFrom(fromOwners).holders[v] * arraysATransfer +
                              (fromOwners ? 0 : g.needs.askedLists[v]));
  return most;
}

/// Entries and rows that a node has at the same time, all rounds in one batch.
double memoryOf(const GridCounts& g, const Prediction& prediction, std::size_t v) {
  const Trident::NodeGrid& grid = g.grid();
  const bool needed = prediction.costs.filter == Trident::TileFilter::needed;
  const bool tiles = !prediction.costs.fromOwners && grid.cols > 1;
  const auto i = static_cast<std::size_t>(grid.row(static_cast<int>(v)));
  const auto j = static_cast<std::size_t>(grid.col(static_cast<int>(v)));
  std::int64_t entries = 0, rows = 0;
  if (!g.setting.chain || !tiles) {  // the operands in 1D, and C there
    entries += g.tallies.A.entries[v] + (g.problem.oneOperand ? 0 : g.tallies.B.entries[v]);
    rows += g.tallies.A.rows[v] + (g.problem.oneOperand ? 0 : g.tallies.B.rows[v]);
    if (grid.cols > 1) {
      entries += g.tallies.C.entries[v];
      rows += g.tallies.C.rows[v];
    }
  }
  if (tiles) {
    entries += g.A.tile[v] + g.B.tile[v];
    rows += g.A.rowBlockRows[i] * (grid.rounds() / grid.cols) + g.B.rowBlockRows[i];
  }
  entries += prediction.phases[multiplyA].entries[v];
  rows += prediction.phases[multiplyA].rowLengths[v];
  const int copies = g.setting.sharedWindow ? 1 : g.ranksPerNode;
  entries += copies * (needed ? g.needs.gatheredEntries[v] : g.B.columnBlockEntries[j]);
  rows += copies * (needed ? g.needs.gatheredRows[v] : g.B.rows);
  entries += g.C.tile[v];
  rows += g.A.rowBlockRows[i];
  return static_cast<double>(entries * entryBytes + rows * rowPointerBytes) / g.ranksPerNode;
}

/// What the ranks of a node pass to each other so that all have B's tiles.
double liBytesOf(const GridCounts& g, bool needed, std::size_t v) {
  if (g.setting.sharedWindow) return 0;
  const auto j = static_cast<std::size_t>(g.grid().col(static_cast<int>(v)));
  const std::int64_t entries = needed ? g.needs.gatheredEntries[v] : g.B.columnBlockEntries[j];
  const std::int64_t rows = needed ? g.needs.gatheredRows[v] : g.B.rows;
  return static_cast<double>((entries * entryBytes + rows * rowLengthBytes) * (g.ranksPerNode - 1));
}

Prediction predict(const GridCounts& g, bool needed, bool fromOwners) {
  Prediction prediction;
  Trident::CandidateCosts& costs = prediction.costs;
  costs.grid = g.grid();
  costs.filter = needed ? Trident::TileFilter::needed : Trident::TileFilter::whole;
  costs.fromOwners = fromOwners;
  prediction.phases = phasesOf(g, needed, fromOwners);
  prediction.requestBytes = requestBytesOf(g, costs);
  sumGi(prediction, g.nodes());
  costs.giMessagesMost =
      messagesOf(costs, g.setting.chain, static_cast<double>(messagesOfB(g, needed, fromOwners)));
  costs.liMessagesMost = g.ranksPerNode > 1 ? g.grid().rounds() : 0;
  costs.multiplicationsMost = static_cast<double>(g.needs.multiplicationsMost);
  for (std::size_t v = 0; v < g.nodes(); ++v) {
    costs.liBytesMost = std::max(costs.liBytesMost, liBytesOf(g, needed, v));
    costs.memoryBytesMost = std::max(costs.memoryBytesMost, memoryOf(g, prediction, v));
  }
  if (g.grid().nodes() > mostNodesListed) {
    prediction.phases.fill({});
    prediction.requestBytes.clear();
  }
  return prediction;
}

Prediction predictTpetra(const Problem& problem, const Distribution& distribution) {
  const TpetraNeeds needs = countTpetra(problem, distribution);
  Prediction prediction;
  prediction.tpetra = true;
  Trident::CandidateCosts& costs = prediction.costs;
  costs.grid = {distribution.nodes, 1};
  costs.filter = Trident::TileFilter::needed;
  costs.fromOwners = true;
  for (std::size_t v = 0; v < needs.rows.size(); ++v) {
    const auto bytes = static_cast<double>(needs.entries[v] * entryBytes + needs.rows[v] * tpetraRowBytes);
    const auto li = static_cast<double>(needs.liEntries[v] * entryBytes + needs.liRows[v] * tpetraRowBytes);
    costs.giBytesMost = std::max(costs.giBytesMost, bytes);
    costs.giBytesSum += bytes;
    costs.liBytesMost = std::max(costs.liBytesMost, li);
  }
  costs.giMessagesMost = static_cast<double>(needs.giPeersMost);
  costs.liMessagesMost = static_cast<double>(needs.liPeersMost);
  costs.multiplicationsMost = static_cast<double>(needs.multiplicationsMost);
  costs.memoryBytesMost = static_cast<double>(needs.memoryMost);
  if (distribution.nodes <= mostNodesListed) prediction.phases[multiplyB] = {needs.entries, needs.rows};
  return prediction;
}

}  // namespace

Sizes sizesOf(const Problem& problem) {
  Sizes sizes;
  sizes.rows = static_cast<double>(problem.A.rows);
  sizes.inner = static_cast<double>(problem.B.rows);
  sizes.cols = static_cast<double>(problem.B.cols);
  sizes.entriesA = static_cast<double>(problem.A.entries());
  sizes.entriesB = static_cast<double>(problem.B.entries());
  sizes.entriesC = static_cast<double>(problem.C.entries());
  sizes.multiplications = static_cast<double>(problem.multiplications);
  return sizes;
}

Case countCase(const Problem& problem, int nodes, int ranksPerNode, const Setting& setting) {
  const Distribution distribution = distribute(problem, nodes, ranksPerNode);
  const Tallies tallies = tally(problem, distribution);
  Case result;
  result.nodes = nodes;
  result.ranksPerNode = ranksPerNode;
  for (const Trident::NodeGrid& grid : gridsOf(nodes)) {
    const GridCounts counts(problem, distribution, tallies, grid, setting);
    for (const Member& member : membersOf(setting.chain))
      result.predictions.push_back(predict(counts, member.needed, member.fromOwners));
  }
  result.predictions.push_back(predictTpetra(problem, distribution));
  return result;
}

}  // namespace Predict
