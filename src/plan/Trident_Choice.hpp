#ifndef TRIDENT_CHOICE_HPP
#define TRIDENT_CHOICE_HPP

#include <cstdint>
#include <vector>

#include "plan/Trident_CostModel.hpp"
#include "plan/Trident_Traffic.hpp"

namespace Trident {

/// Rows of B that cross Gi, and their entries, summed over all nodes that receive them.
struct NeededSum {
  std::int64_t rows = 0;
  std::int64_t entries = 0;
};

/// Sizes of a product, summed over all ranks, from which the plan is chosen.
struct ProductSizes {
  int nodes = 1;
  int ranks = 1;
  std::int64_t rows = 0;     ///< of A and C
  std::int64_t inner = 0;    ///< columns of A, rows of B
  std::int64_t columns = 0;  ///< of B and C
  std::int64_t entriesA = 0;
  std::int64_t entriesB = 0;

  /// At most so many entries has C: those of its graph if it has one, or else what its shape allows.
  std::int64_t entriesCAtMost = 0;

  NeededSum needed;  ///< of grid N x 1
};

/// The grids of several columns that can move fewer bytes than node-aware 1D: those for which A and C alone
/// do not move more already. For all others nothing needs to be counted.
std::vector<NodeGrid> gridsWorthCounting(const ProductSizes& sizes, const WireSizes& wire);

/// Node-aware 1D: grid N x 1, needed rows; exact.
CandidateCosts nodeAware1D(const ProductSizes& sizes, const WireSizes& wire);

/// Needed rows, or whole tiles, from their owners on a grid of several columns, map-back included. A and B
/// are exact; C is taken to be as full as it can be, so that the real costs are no higher.
CandidateCosts neededRows(const NodeGrid& grid, const NeededSum& needed, const ProductSizes& sizes,
                          const WireSizes& wire);
CandidateCosts wholeTiles(const NodeGrid& grid, const ProductSizes& sizes, const WireSizes& wire);

/// Whether rounds may be multiplied while later ones are on their way (Overlap::automatic). On a grid of one
/// column this takes a copy of A's entries by rounds, so what all nodes receive, `giBytes`, must be worth it,
/// and a row must have products in most rounds. Whether it pays is seen when C's first rows are there.
bool mayOverlap(const NodeGrid& grid, double giBytes, const ProductSizes& sizes, const WireSizes& wire);

/// The most panels that can pay: with more, B's rows are too short in each.
int mostPanels(const ProductSizes& sizes);

/// The number of panels with which a product on one column of nodes takes least time: while one is multiplied
/// the next is on its way, but each goes through A once more, and C's rows are moved together in the end.
/// `giBytes` is what all nodes receive. 1 where more would gain less than a tenth.
int panelsThatPay(double giBytes, const ProductSizes& sizes, const WireSizes& wire, const Machine& machine);

/// The member of the family with the least predicted time: node-aware 1D, or one of the grids worth counting,
/// `needed[g]` being what grid g needs.
CandidateCosts choose(const ProductSizes& sizes, const WireSizes& wire, const std::vector<NodeGrid>& grids,
                      const std::vector<NeededSum>& needed, const Machine& machine);

}  // namespace Trident

#endif
