#ifndef TRIDENT_CHOICE_HPP
#define TRIDENT_CHOICE_HPP

#include <cstdint>
#include <vector>

#include "plan/Trident_Plan.hpp"
#include "plan/Trident_Traffic.hpp"

namespace Trident {

/// Sizes of a product, summed over all ranks, from which traffic is estimated.
struct ProductSizes {
  int nodes = 1;
  std::int64_t rows = 0;   ///< of A and C
  std::int64_t inner = 0;  ///< columns of A, rows of B
  std::int64_t entriesA = 0;
  std::int64_t entriesB = 0;
  std::int64_t neededRows = 0;     ///< rows of B that nodes need of other nodes, summed over the nodes
  std::int64_t neededEntries = 0;  ///< their entries
};

/// One member of the family of algorithms, with the bytes that all nodes together are expected to receive
/// over Gi, from 1D rows to 1D rows.
struct Member {
  NodeGrid grid;
  TileFilter filter;
  double bytes;
};

/// Node-aware 1D: grid N x 1, needed rows; exact. `wire` as in Trident_Traffic.hpp.
Member nodeAware1D(const ProductSizes& sizes, const WireSizes& wire);

/// Whole tiles on a grid from their owners, map-back included, C taken to be as full as its fuller operand
/// (an underestimate: squarer grids look better than they are).
Member wholeTiles(const NodeGrid& grid, const ProductSizes& sizes, const WireSizes& wire);

/// The member with the fewest bytes of node-aware 1D and whole tiles on the most nearly square grid.
Member choose(const ProductSizes& sizes, const WireSizes& wire);

}  // namespace Trident

#endif
