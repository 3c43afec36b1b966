#ifndef TRIDENT_IO_EDGELIST_HPP
#define TRIDENT_IO_EDGELIST_HPP

#include <cstdint>
#include <string>

#include "io/Trident_Triplets.hpp"

namespace Trident::IO {

enum class VertexNames {
  ids,    ///< non-negative integers; comments start with # or %; every line has 2 or every line has 3 columns
  labels  ///< any bytes without blanks; comments start with #; the weight may be missing line by line (mcl
          ///< --abc)
};

struct EdgeListOptions {
  VertexNames names = VertexNames::ids;
  /// How repeated edges are merged. A sum also gives a warning.
  Merge merge = Merge::sum;
  /// Store each edge in both directions, merged as above: a file with both directions doubles under sum.
  bool mirror = false;
  /// Refuse weights that are negative or not finite, which make no stochastic matrix.
  bool flowWeights = false;
  /// Smallest allowed id, which becomes row 0.
  std::int64_t firstId = 0;
  /// Number the ids that occur in ascending order instead of keeping them as row numbers. Ids beyond 2^31-1
  /// are renumbered anyhow, with a warning.
  bool renumber = false;

  /// What mcl does with --abc input: labels, undirected, the larger of repeated weights.
  static EdgeListOptions abc();
};

/// Reads an edge list, plain or gzip, as a square matrix with entry (from, to) = weight; a missing weight
/// is 1. `labels` holds the vertex names by row: labels in order of first appearance, or the ids after
/// renumbering. Throws std::runtime_error naming file, line, what was found and what was allowed.
TripletMatrix readEdgeList(const std::string& path, const EdgeListOptions& options = {});

}  // namespace Trident::IO

#endif
