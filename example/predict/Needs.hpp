#ifndef TRIDENT_PREDICT_NEEDS_HPP
#define TRIDENT_PREDICT_NEEDS_HPP

#include <cstdint>
#include <vector>

#include "Count.hpp"

namespace Predict {

/// What depends on which rows of B the rows of A meet, on one grid.
struct Needs {
  /// Needed rows of B as they come from one kind of holder, 1D owners or tiles.
  struct From {
    PhaseTraffic traffic;
    PerNode holders;  ///< from which a node receives: nodes, or for tiles base blocks
  };
  From owners, tiles;
  PerNode askedRows;        ///< of a node's tile: ids that it hears from the other nodes of its column
  PerNode askedLists;       ///< lists in which they come, one for each base block and node that asks
  PerNode gatheredEntries;  ///< of needed rows, in the node's column block, local ones included
  PerNode gatheredRows;
  std::int64_t multiplicationsMost = 0;  ///< of a rank
};

Needs countNeeds(const Problem& problem, const Distribution& distribution, const GridBlocks& blocks);

/// What Tpetra fetches: every rank each distinct row that another rank owns, whole.
struct TpetraNeeds {
  PerNode entries, rows;      ///< from other nodes
  PerNode liEntries, liRows;  ///< from ranks of the same node
  std::int64_t giPeersMost = 0, liPeersMost = 0;
  std::int64_t multiplicationsMost = 0;  ///< of a rank
  std::int64_t memoryMost = 0;           ///< of a rank: own rows, fetched rows and C, in bytes
};

TpetraNeeds countTpetra(const Problem& problem, const Distribution& distribution);

}  // namespace Predict

#endif
