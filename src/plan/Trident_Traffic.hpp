#ifndef TRIDENT_TRAFFIC_HPP
#define TRIDENT_TRAFFIC_HPP

#include <cstdint>
#include <vector>

#include "topology/Trident_NodeGrid.hpp"

namespace Trident {

/// What a matrix that lies in 1D rows holds, by node: the input of the traffic formulas.
struct NodeTally {
  std::vector<std::int64_t> rows;     ///< [node]: rows the node owns in 1D
  std::vector<std::int64_t> entries;  ///< [node * blocks + block]: its entries by base block or column block
};

/// Bytes of one row and of one entry on the wire.
struct WireSizes {
  std::int64_t row;
  std::int64_t entry;
};

/// Bytes that each node receives over Gi, whole tiles, counted from the tallies alone. The ledger must agree
/// to the byte. (Shared model: volume_model.py, `model`.)
///
/// This one: 1D rows to tiles, when the tally's `blocks` column segments travel each with its row lengths (Q
/// base blocks of A, p_c column blocks of B).
std::vector<std::int64_t> trafficOfConversion(const NodeGrid& grid, const NodeTally& tally, int blocks,
                                              const WireSizes& wire);

/// The rounds' fetches of A, from a tally by base block (Q blocks).
std::vector<std::int64_t> trafficOfA(const NodeGrid& grid, const NodeTally& tally, const WireSizes& wire);

/// The rounds' fetches of B, from a tally by column block (p_c blocks).
std::vector<std::int64_t> trafficOfB(const NodeGrid& grid, const NodeTally& tally, const WireSizes& wire);

/// The same where the rounds fetch from the 1D owners.
std::vector<std::int64_t> trafficOfAFromOwners(const NodeGrid& grid, const NodeTally& tally,
                                               const WireSizes& wire);
std::vector<std::int64_t> trafficOfBFromOwners(const NodeGrid& grid, const NodeTally& tally,
                                               const WireSizes& wire);

/// Tiles of C to 1D rows, from a tally of C by column block (p_c blocks).
std::vector<std::int64_t> trafficOfMapBack(const NodeGrid& grid, const NodeTally& tally,
                                           const WireSizes& wire);

}  // namespace Trident

#endif
