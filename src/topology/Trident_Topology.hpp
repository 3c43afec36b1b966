#ifndef TRIDENT_TOPOLOGY_HPP
#define TRIDENT_TOPOLOGY_HPP

#include <mpi.h>

#include <string>
#include <vector>

namespace Trident {

/// Which rank of a communicator is on which node.
///
/// Nodes are numbered by their lowest rank; slice k of a node is its k-th rank in rank order. Nodes need not
/// have the same number of ranks, and a node's ranks need not be consecutive.
class Topology {
 public:
  /// `nodeOfRank[r]` is any label of the node that rank r is on; labels are renumbered.
  explicit Topology(const std::vector<int>& nodeOfRank);

  /// Groups of consecutive ranks of the sizes that `sizes` lists ("4": nodes of 4; "3,5,4": these sizes in
  /// turn, repeated as often as there are ranks; the last node takes what is left). Throws
  /// std::invalid_argument for a list that is not of positive numbers.
  static Topology forced(int ranks, const std::string& sizes);

  /// The real nodes, by MPI_Comm_split_type(SHARED). Collective over `comm`.
  static Topology discover(MPI_Comm comm);

  int ranks() const { return static_cast<int>(nodeOf_.size()); }
  int nodes() const { return static_cast<int>(ranksOf_.size()); }
  int nodeOf(int rank) const { return nodeOf_[rank]; }

  /// k, the position of a rank in its node.
  int sliceOf(int rank) const { return sliceOf_[rank]; }

  /// lambda of one node.
  int ranksOn(int node) const { return static_cast<int>(ranksOf_[node].size()); }
  int rankAt(int node, int slice) const { return ranksOf_[node][slice]; }

 private:
  std::vector<int> nodeOf_;
  std::vector<int> sliceOf_;
  std::vector<std::vector<int>> ranksOf_;
};

}  // namespace Trident

#endif
