#ifndef TRIDENT_PREDICTION_HPP
#define TRIDENT_PREDICTION_HPP

#include <cstdint>
#include <vector>

#include "multiply/Trident_ProductReport.hpp"
#include "plan/Trident_Plan.hpp"
#include "plan/Trident_Traffic.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {

/// This rank's share of the tallies that the traffic formulas need.
struct RankTally {
  std::vector<std::int64_t> A;           ///< entries by base block
  std::vector<std::int64_t> B;           ///< entries by column block
  std::vector<std::int64_t> C;           ///< entries by column block
  std::vector<std::int64_t> neededRows;  ///< of B, to each node; empty: whole tiles
  std::vector<std::int64_t> neededEntries;
  std::vector<std::int64_t> partialRows;  ///< of C, summed in the node, to each node; empty: none
  std::vector<std::int64_t> partialEntries;
  std::int64_t rows = 0;   ///< of A and C owned in 1D
  std::int64_t inner = 0;  ///< rows of B owned in 1D
};

/// This rank's tallies in the places of its node; summed over all ranks they are what addPrediction() takes.
std::vector<std::int64_t> tallyByNode(const Context& context, const RankTally& tally);

/// Adds to report.predictedGiBytes what follows from the sums of tallyByNode() (Trident_Traffic.hpp). `tally`
/// tells the sizes.
void addPrediction(const Plan& plan, const RankTally& tally, const std::vector<std::int64_t>& sums,
                   const WireSizes& wire, ProductReport& report);

}  // namespace Trident

#endif
