#ifndef TRIDENT_SPGEMM_RESULTS_HPP
#define TRIDENT_SPGEMM_RESULTS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "multiply/Trident_ProductReport.hpp"

namespace Spgemm {

/// Medians over the runs; `total` is from Tpetra in to Tpetra out, the others are its parts.
struct Seconds {
  double total = 0;
  double prepare = 0;
  double convert = 0;
  double multiply = 0;  ///< the rounds only
  double mapBack = 0;
  double finish = 0;
};

struct Comparison {
  bool patternEqual = false;
  double maxScaledError = 0;  ///< in units of eps |A| |op(B)|, entrywise
  double allowedError = 0;    ///< what two orders of adding may differ by: A's longest row

  bool agree() const { return patternEqual && maxScaledError <= allowedError; }
};

/// One number a node.
using PerNode = std::vector<std::int64_t>;

/// What the nodes received over Gi in one of the tile phases, in tiles: pointers, indices and values.
struct PhaseTraffic {
  std::string name;
  PerNode giBytes, giPredictedBytes, giEntries, giRows, liBytes;
};

/// What the nodes received.
struct Traffic {
  std::vector<PhaseTraffic> phases;            ///< convert_a to map_back_c
  PerNode giBytes, giPredictedBytes, liBytes;  ///< sums over the phases
  PerNode giOtherBytes, liOtherBytes;          ///< requests, and everything of the set-up
};

/// What Tpetra's Multiply sends for the rows of op(B) that A's column map names, counted from A's import.
struct ImportTraffic {
  PerNode giBytes, liBytes;
  std::int64_t multiplications = 0;  ///< of the whole product; stored zeros of A make none, in Tpetra either
};

/// Everything that the program prints, the same on every rank.
struct Results {
  std::string matrix;
  std::string op;
  std::int64_t rows = 0, cols = 0;
  std::int64_t entriesA = 0, entriesB = 0, entriesC = 0;
  std::int64_t multiplications = 0;
  int repeat = 1;
  Trident::ProductReport report;  ///< rank 0's; counts that differ by rank are in the other members
  std::int64_t peakBytes = 0;     ///< the most of any rank
  int batches = 0;                ///< the most of any rank
  Seconds seconds;
  std::optional<double> tpetraSeconds;
  std::optional<double> valuesOnlySeconds;
  PerNode valuesOnlyGiBytes;  ///< received by the nodes, all kinds
  Traffic traffic;
  ImportTraffic tpetraTraffic;
  std::optional<Comparison> comparison;
};

}  // namespace Spgemm

#endif
