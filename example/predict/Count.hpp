#ifndef TRIDENT_PREDICT_COUNT_HPP
#define TRIDENT_PREDICT_COUNT_HPP

#include <cstdint>
#include <vector>

#include "Pattern.hpp"
#include "Prediction.hpp"

namespace Predict {

/// Who owns what in 1D: every dimension dealt out evenly over all ranks, in order.
struct Distribution {
  int nodes = 1;
  int ranksPerNode = 1;
  std::vector<int> rankOfRow, rankOfInner, rankOfColumn;

  int nodeOf(int rank) const { return rank / ranksPerNode; }
};

Distribution distribute(const Problem& problem, int nodes, int ranksPerNode);

/// A matrix seen by nodes: how many entries lie in rows of one node and columns of another. Counted once,
/// this serves every grid.
struct NodeTally {
  struct Pair {
    int rowNode;
    int colNode;
    std::int64_t entries;
  };
  PerNode rows;             ///< that a node owns
  PerNode entries;          ///< in these rows
  std::vector<Pair> pairs;  ///< without the empty ones, which are most when nodes are many
};

struct Tallies {
  NodeTally A, B, C;
};

Tallies tally(const Problem& problem, const Distribution& distribution);

/// A grid and the column block of what each node owns.
struct GridBlocks {
  Trident::NodeGrid grid;
  std::vector<int> columnBlock;  ///< by node

  explicit GridBlocks(const Trident::NodeGrid& grid);
};

/// A tally summed up by the blocks of a grid.
struct TileSums {
  PerNode tile;                                  ///< [node (i,j)]: entries of row block i in column block j
  PerNode kept;                                  ///< [node]: of these, in rows that the node owns
  std::vector<std::int64_t> rowBlockEntries;     ///< [i]
  std::vector<std::int64_t> rowBlockRows;        ///< [i]
  std::vector<std::int64_t> columnBlockEntries;  ///< [j]
  std::int64_t rows = 0;
};

TileSums sumTiles(const NodeTally& tally, const GridBlocks& blocks);

// What the nodes receive in a phase, with whole tiles. `sums` are those of `tally` on the grid.

/// 1D rows to tiles; `segments` is the number of column segments that get row lengths of their own.
PhaseTraffic trafficOfConversion(const NodeTally& tally, const TileSums& sums, const Trident::NodeGrid& grid,
                                 int segments);
PhaseTraffic trafficOfA(const NodeTally& tally, const TileSums& sums, const Trident::NodeGrid& grid,
                        bool fromOwners);
PhaseTraffic trafficOfB(const NodeTally& tally, const TileSums& sums, const Trident::NodeGrid& grid,
                        bool fromOwners);
/// Tiles of C to 1D rows.
PhaseTraffic trafficOfMapBack(const NodeTally& tally, const TileSums& sums, const Trident::NodeGrid& grid);

}  // namespace Predict

#endif
