#ifndef TRIDENT_PLAN_HPP
#define TRIDENT_PLAN_HPP

#include <cstdint>
#include <iosfwd>

#include "topology/Trident_NodeGrid.hpp"

namespace Trident {

/// Which rows of a tile of B travel: all of them (the paper), or those that the row block of A has columns
/// for, each once a node.
enum class TileFilter { automatic, whole, needed };

/// Where the rounds fetch from: straight from the 1D owners of rows, or from tiles that were assembled before
/// (the paper). On a grid of one column both are the same for whole tiles.
enum class TileSource { automatic, owners, tiles };

enum class GatherKind { automatic, sharedWindow, allgatherv };
enum class LocalKind { automatic, host, kokkosKernels };

/// How owners learn that a tile is wanted. `requests` uses RMA queues where the MPI can, messages otherwise;
/// `bulkSynchronous` is a yardstick.
enum class EngineKind { automatic, scheduled, requests, requestMessages, bulkSynchronous };

/// Whether tiles are multiplied while others are on their way: on, round by round; automatic: panel by panel
/// or round by round, as far as it pays.
enum class Overlap { automatic, on, off };

/// For tests: what goes wrong on purpose. Ranks and nodes of -1: none.
struct Faults {
  int failingRank = -1;      ///< its local product throws
  int withholdingRank = -1;  ///< does not send its first tile of B; -2: all ranks
  int unpackingRank = -1;    ///< cannot pack its first tile of B
  int dyingRank = -1;        ///< is killed in its second round
  int throwingRank = -1;     ///< throws in its second round
  double roundSeconds = 0;   ///< every rank sleeps so long in each round
  int slowNode = -1;         ///< its ranks sleep twice as long
};

/// What a plan is expected to cost; negative: not predicted, because nothing was to be chosen.
struct PlanPrediction {
  double giBytes = -1;      ///< received by all nodes together; C taken to be as full as it can be
  double seconds = -1;      ///< of the busiest node and rank, communication and multiplications in turn
  double memoryBytes = -1;  ///< at most so many beside A and B, on the busiest rank
};

/// Every decision about one product, made before any tile moves. The same on all ranks.
struct Plan {
  NodeGrid grid;
  TileFilter filter = TileFilter::whole;
  TileSource source = TileSource::owners;
  GatherKind gather = GatherKind::automatic;
  LocalKind local = LocalKind::automatic;
  EngineKind engine = EngineKind::automatic;
  Overlap overlap = Overlap::automatic;
  PlanPrediction predicted;
  int columnPhases = 1;  ///< runs of columns of B and C that are products of their own, one after the other
  int panels = 0;        ///< runs of columns of B that travel one ahead of the other; 0: one unless it pays
  int roundsAhead = 4;   ///< how many rounds tiles are sent and received ahead
  std::int64_t productsPerPiece = std::int64_t{1} << 18;  ///< multiplications in one go while a rank waits
  int roundsPerBatch = 0;        ///< rounds multiplied in one pass; 0: as memory allows
  std::int64_t windowBytes = 0;  ///< most a node's shared window may take; 0: by /dev/shm
  std::int64_t maxMessageBytes = std::int64_t{1} << 30;  ///< longer arrays are sent in several messages
  bool partialRows = false;  ///< A^T B: A and B stay, partial rows of C are summed in each node and sent home
  bool skipZerosOfA = true;  ///< stored zeros of A add nothing to C's pattern
  int delaySeed = 0;         ///< tests: random delays at protocol steps
  Faults faults;

  /// Rounds of a node: those of the grid for each panel, panel after panel.
  int panelsOrOne() const { return panels > 1 ? panels : 1; }
  int rounds() const { return grid.rounds() * panelsOrOne(); }
};

/// Prints the plan, one decision a line.
std::ostream& operator<<(std::ostream& out, const Plan& plan);

const char* name(TileFilter filter);
const char* name(TileSource source);
const char* name(GatherKind kind);
const char* name(LocalKind kind);
const char* name(EngineKind kind);
const char* name(Overlap overlap);

}  // namespace Trident

#endif
