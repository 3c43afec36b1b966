#ifndef TRIDENT_COST_MODEL_HPP
#define TRIDENT_COST_MODEL_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "plan/Trident_Plan.hpp"
#include "topology/Trident_NodeGrid.hpp"

namespace Trident {

/// What the cost model knows of a machine. Links are counted a node, work a rank.
struct Machine {
  double giLatency;                 ///< seconds a message between nodes
  double giBytesPerSecond;          ///< that a node receives
  double liLatency;                 ///< seconds a message inside a node
  double liBytesPerSecond;          ///< that the ranks of a node receive together
  double multiplicationsPerSecond;  ///< of one rank's local product

  /// A preset by name. Throws std::invalid_argument for a name that is none of names().
  static Machine named(const std::string& name);

  static const std::vector<std::string>& names();
};

/// What one member of the family costs a product. "Most" is the busiest node's or rank's figure, and 0 where
/// nothing is done.
struct CandidateCosts {
  NodeGrid grid;
  TileFilter filter = TileFilter::whole;
  bool fromOwners = false;         ///< tiles come straight from the 1D owners; nothing is converted
  double giBytesMost = 0;          ///< received by a node
  double giBytesSum = 0;           ///< received by all nodes
  double giMessagesMost = 0;       ///< received by a rank
  double liBytesMost = 0;          ///< received by the ranks of a node from each other
  double liMessagesMost = 0;       ///< received by a rank
  double multiplicationsMost = 0;  ///< of a rank
  double memoryBytesMost = 0;      ///< of a rank; no part of the time
};

/// Predicted time of a product, its terms added up: that they overlap in part is left out, as it is for every
/// candidate, so the sum ranks them and is no promise.
double seconds(const CandidateCosts& costs, const Machine& machine);

/// Index of the candidate with the least predicted time, the first of several; `candidates` is not empty.
std::size_t cheapest(const std::vector<CandidateCosts>& candidates, const Machine& machine);

}  // namespace Trident

#endif
