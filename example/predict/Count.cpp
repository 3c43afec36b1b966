#include "Count.hpp"

#include <algorithm>

namespace Predict {

namespace {

std::vector<int> ranksOf(std::int64_t size, int ranks) {
  std::vector<int> owner;
  owner.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < ranks; ++rank)
    owner.insert(owner.end(), static_cast<std::size_t>(size / ranks + (rank < size % ranks ? 1 : 0)), rank);
  return owner;
}

/// Rows of a node follow each other, so one row of counts is enough at a time.
NodeTally tallyOf(const Pattern& matrix, const std::vector<int>& rankOfRow,
                  const std::vector<int>& rankOfColumn, const Distribution& distribution) {
  const auto nodes = static_cast<std::size_t>(distribution.nodes);
  NodeTally tally;
  tally.rows.assign(nodes, 0);
  tally.entries.assign(nodes, 0);
  std::vector<std::int64_t> count(nodes, 0);
  std::vector<int> counted;
  const auto flush = [&](int rowNode) {
    for (const int colNode : counted) {
      tally.pairs.push_back({rowNode, colNode, count[static_cast<std::size_t>(colNode)]});
      count[static_cast<std::size_t>(colNode)] = 0;
    }
    counted.clear();
  };
  int rowNode = 0;
  for (std::size_t row = 0; row < rankOfRow.size(); ++row) {
    const int node = distribution.nodeOf(rankOfRow[row]);
    if (node != rowNode) flush(rowNode);
    rowNode = node;
    ++tally.rows[static_cast<std::size_t>(node)];
    tally.entries[static_cast<std::size_t>(node)] += static_cast<std::int64_t>(matrix.length(row));
    for (std::size_t e = matrix.rowPtr[row]; e < matrix.rowPtr[row + 1]; ++e) {
      const int colNode = distribution.nodeOf(rankOfColumn[static_cast<std::size_t>(matrix.col[e])]);
      if (count[static_cast<std::size_t>(colNode)]++ == 0) counted.push_back(colNode);
    }
  }
  flush(rowNode);
  return tally;
}

PhaseTraffic nothing(const Trident::NodeGrid& grid) {
  const auto nodes = static_cast<std::size_t>(grid.nodes());
  return {PerNode(nodes, 0), PerNode(nodes, 0)};
}

}  // namespace

Distribution distribute(const Problem& problem, int nodes, int ranksPerNode) {
  const int ranks = nodes * ranksPerNode;
  return {nodes, ranksPerNode, ranksOf(problem.A.rows, ranks), ranksOf(problem.B.rows, ranks),
          ranksOf(problem.B.cols, ranks)};
}

Tallies tally(const Problem& problem, const Distribution& distribution) {
  const Distribution& d = distribution;
  return {tallyOf(problem.A, d.rankOfRow, d.rankOfInner, d),
          tallyOf(problem.B, d.rankOfInner, d.rankOfColumn, d),
          tallyOf(problem.C, d.rankOfRow, d.rankOfColumn, d)};
}

GridBlocks::GridBlocks(const Trident::NodeGrid& nodeGrid) : grid(nodeGrid) {
  for (int node = 0; node < grid.nodes(); ++node) columnBlock.push_back(grid.colBlock(grid.baseBlock(node)));
}

TileSums sumTiles(const NodeTally& tally, const GridBlocks& blocks) {
  const Trident::NodeGrid& grid = blocks.grid;
  const auto nodes = static_cast<std::size_t>(grid.nodes());
  TileSums sums;
  sums.tile.assign(nodes, 0);
  sums.kept.assign(nodes, 0);
  sums.rowBlockEntries.assign(static_cast<std::size_t>(grid.rows), 0);
  sums.rowBlockRows.assign(static_cast<std::size_t>(grid.rows), 0);
  sums.columnBlockEntries.assign(static_cast<std::size_t>(grid.cols), 0);
  for (const NodeTally::Pair& pair : tally.pairs) {
    const int column = blocks.columnBlock[static_cast<std::size_t>(pair.colNode)];
    const int tile = grid.node(grid.row(pair.rowNode), column);
    sums.tile[static_cast<std::size_t>(tile)] += pair.entries;
    if (tile == pair.rowNode) sums.kept[static_cast<std::size_t>(tile)] += pair.entries;
    sums.columnBlockEntries[static_cast<std::size_t>(column)] += pair.entries;
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto i = static_cast<std::size_t>(grid.row(static_cast<int>(node)));
    sums.rowBlockEntries[i] += tally.entries[node];
    sums.rowBlockRows[i] += tally.rows[node];
    sums.rows += tally.rows[node];
  }
  return sums;
}

PhaseTraffic trafficOfConversion(const NodeTally& tally, const TileSums& sums, const Trident::NodeGrid& grid,
                                 int segments) {
  PhaseTraffic traffic = nothing(grid);
  for (std::size_t node = 0; node < tally.rows.size(); ++node) {
    const auto i = static_cast<std::size_t>(grid.row(static_cast<int>(node)));
    traffic.entries[node] = sums.tile[node] - sums.kept[node];
    traffic.rowLengths[node] = (sums.rowBlockRows[i] - tally.rows[node]) * (segments / grid.cols);
  }
  return traffic;
}

// A travels base block by base block, so each row has Q lengths. Owners hold whole rows; a tile lacks the
// other columns'.
PhaseTraffic trafficOfA(const NodeTally& tally, const TileSums& sums, const Trident::NodeGrid& grid,
                        bool fromOwners) {
  const int rounds = grid.rounds();
  PhaseTraffic traffic = nothing(grid);
  for (std::size_t node = 0; node < tally.rows.size(); ++node) {
    const auto i = static_cast<std::size_t>(grid.row(static_cast<int>(node)));
    const std::int64_t atHome = fromOwners ? tally.entries[node] : sums.tile[node];
    traffic.entries[node] = sums.rowBlockEntries[i] - atHome;
    traffic.rowLengths[node] = fromOwners ? (sums.rowBlockRows[i] - tally.rows[node]) * rounds
                                          : sums.rowBlockRows[i] * (rounds - rounds / grid.cols);
  }
  return traffic;
}

PhaseTraffic trafficOfB(const NodeTally& tally, const TileSums& sums, const Trident::NodeGrid& grid,
                        bool fromOwners) {
  PhaseTraffic traffic = nothing(grid);
  for (std::size_t node = 0; node < tally.rows.size(); ++node) {
    const auto i = static_cast<std::size_t>(grid.row(static_cast<int>(node)));
    const auto j = static_cast<std::size_t>(grid.col(static_cast<int>(node)));
    traffic.entries[node] = sums.columnBlockEntries[j] - (fromOwners ? sums.kept[node] : sums.tile[node]);
    traffic.rowLengths[node] = sums.rows - (fromOwners ? tally.rows[node] : sums.rowBlockRows[i]);
  }
  return traffic;
}

PhaseTraffic trafficOfMapBack(const NodeTally& tally, const TileSums& sums, const Trident::NodeGrid& grid) {
  PhaseTraffic traffic = nothing(grid);
  for (std::size_t node = 0; node < tally.rows.size(); ++node) {
    traffic.entries[node] = tally.entries[node] - sums.kept[node];
    traffic.rowLengths[node] = tally.rows[node] * (grid.cols - 1);
  }
  return traffic;
}

}  // namespace Predict
