#ifndef TRIDENT_PREDICTION_HPP
#define TRIDENT_PREDICTION_HPP

#include <cstdint>
#include <vector>

#include "multiply/Trident_ProductReport.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {

/// This rank's share of the tallies that the traffic formulas need.
struct RankTally {
  std::vector<std::int64_t> A;       ///< entries by base block
  std::vector<std::int64_t> B;       ///< entries by column block
  std::vector<std::int64_t> C;       ///< entries by column block
  std::vector<std::int64_t> needed;  ///< bytes of B to each node, counted from requests; empty: whole tiles
  std::int64_t rows = 0;             ///< of A and C owned in 1D
  std::int64_t inner = 0;            ///< rows of B owned in 1D
};

/// Fills report.predictedGiBytes from the tallies of all ranks (Trident_Traffic.hpp). `ordinalBytes` are
/// those of a row length and of a column. Collective over the context's communicator: five small all-reduces.
void predictTraffic(const Context& context, const RankTally& tally, std::int64_t ordinalBytes,
                    std::int64_t scalarBytes, ProductReport& report);

}  // namespace Trident

#endif
