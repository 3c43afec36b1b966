#ifndef TRIDENT_PRODUCT_REPORT_HPP
#define TRIDENT_PRODUCT_REPORT_HPP

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exchange/Trident_Ledger.hpp"
#include "plan/Trident_Plan.hpp"
#include "topology/Trident_NodeGrid.hpp"

namespace Trident {

/// What one product did, filled in when the caller puts an RCP of it into the parameter list under
/// "trident: report".
///
/// Times are this rank's wall-clock seconds. The ledger is this rank's; sum it over the ranks of a node for
/// the node's figure. A report is asked for on all ranks or on none; it costs a few small all-reduces for the
/// prediction.
struct ProductReport {
  int ranks = 0;
  int nodes = 0;
  int rank = 0;                   ///< this rank in the product's communicator
  int node = 0;                   ///< the node this rank is on, 0 <= node < nodes
  std::vector<int> ranksPerNode;  ///< one entry a node
  Plan plan;                      ///< every decision, printable
  NodeGrid grid;
  int rounds = 0;                 ///< of each panel (plan.panels)
  int batches = 0;                ///< runs of rounds that were multiplied in one fused pass on this rank
  std::string filter = "whole";   ///< tile filter: "whole" or "needed"
  std::string source = "owners";  ///< where the rounds fetch from: "owners" or "tiles"
  std::string engine;             ///< exchange engine, e.g. "scheduled"
  std::string gather;             ///< "shared window" or "allgatherv", with the reason if second choice
  std::string localProduct;       ///< "host" or "kokkoskernels"
  bool valuesOnly = false;        ///< patterns were those of an earlier product: only values travelled
  bool handedBack = false;        ///< true: Tpetra did this product
  std::string handBackReason;

  Ledger ledger;

  /// Bytes that all ranks together received over Gi, or -1 where they were not summed: for products that are
  /// left in tiles or handed back, and where neither a report nor a log (TRIDENT_REPORT) is wanted.
  std::int64_t giBytesOfAllRanks = -1;

  /// Bytes each node receives over Gi by phase, computed from the patterns' tallies (the
  /// map-back from C's tally); [phase][node]. Equals the ledger's to the byte, requests for rows of tiles
  /// left out. Empty for a triple product on several columns of nodes, which is a chain.
  std::array<std::vector<std::int64_t>, phaseCount> predictedGiBytes;

  double secondsPrepare = 0;   ///< agreement, index spaces, owners of inner indices
  double secondsConvert = 0;   ///< 1D rows to tiles
  double secondsMeet = 0;      ///< who sends which rows, and their lengths
  double secondsMultiply = 0;  ///< the rounds
  double secondsMapBack = 0;   ///< tiles to 1D rows
  double secondsFinish = 0;    ///< column map, importer, fill complete
  double secondsTotal = 0;
  std::int64_t gatheredBytes = 0;    ///< of B, held by this rank's node at a time
  std::int64_t peakBytes = 0;        ///< most memory of this rank's own seen during the rounds, all in all
  std::int64_t multiplications = 0;  ///< scalar multiplications done on this rank
};

}  // namespace Trident

#endif
