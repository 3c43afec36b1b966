#include "plan/Trident_Choice.hpp"

#include <algorithm>

namespace Trident {
namespace {

double bytes(double rows, double entries, const WireSizes& wire) {
  return rows * static_cast<double>(wire.row) + entries * static_cast<double>(wire.entry);
}

// What a product moves apart from B: A's row blocks, once for each round's lengths, and C on its way home.
double bytesOfAAndC(const NodeGrid& grid, const ProductSizes& sizes, const WireSizes& wire) {
  const double others = grid.cols - 1;
  const auto rows = static_cast<double>(sizes.rows);
  const double A = bytes(rows * others * grid.rounds(), static_cast<double>(sizes.entriesA) * others, wire);
  const double away = static_cast<double>(sizes.entriesCAtMost) * others / grid.cols;
  return A + bytes(rows * others, away, wire);
}

CandidateCosts costsOf(const NodeGrid& grid, TileFilter filter, double giBytes, const ProductSizes& sizes) {
  CandidateCosts costs;
  costs.grid = grid;
  costs.filter = filter;
  costs.fromOwners = true;
  costs.giBytesSum = giBytes;
  costs.giBytesMost = giBytes / grid.nodes();
  // Lengths, columns and values from a rank of each other node for B, and from each of the row's nodes in
  // each round for A; C's rows come from the nodes of the row.
  costs.giMessagesMost = 3.0 * (grid.nodes() - 1 + (grid.cols - 1) * (grid.rounds() + 1));
  const double perRow =
      static_cast<double>(sizes.entriesB) / static_cast<double>(std::max<std::int64_t>(sizes.inner, 1));
  costs.multiplicationsMost = static_cast<double>(sizes.entriesA) * perRow / sizes.ranks;
  return costs;
}

}  // namespace

CandidateCosts nodeAware1D(const ProductSizes& sizes, const WireSizes& wire) {
  const double needed =
      bytes(static_cast<double>(sizes.needed.rows), static_cast<double>(sizes.needed.entries), wire);
  return costsOf(NodeGrid{sizes.nodes, 1}, TileFilter::needed, needed, sizes);
}

CandidateCosts neededRows(const NodeGrid& grid, const NeededSum& needed, const ProductSizes& sizes,
                          const WireSizes& wire) {
  const double bitmaps =
      static_cast<double>(grid.nodes()) * (grid.cols - 1) * static_cast<double>(sizes.inner) / 8;
  const double B = bytes(static_cast<double>(needed.rows), static_cast<double>(needed.entries), wire);
  return costsOf(grid, TileFilter::needed, bytesOfAAndC(grid, sizes, wire) + bitmaps + B, sizes);
}

CandidateCosts wholeTiles(const NodeGrid& grid, const ProductSizes& sizes, const WireSizes& wire) {
  const double others = sizes.nodes - 1;
  const double B = bytes(static_cast<double>(sizes.inner) * others,
                         static_cast<double>(sizes.entriesB) * others / grid.cols, wire);
  return costsOf(grid, TileFilter::whole, bytesOfAAndC(grid, sizes, wire) + B, sizes);
}

std::vector<NodeGrid> gridsWorthCounting(const ProductSizes& sizes, const WireSizes& wire) {
  const double least = nodeAware1D(sizes, wire).giBytesSum;
  std::vector<NodeGrid> grids;
  for (int cols = 2; cols <= sizes.nodes; ++cols) {
    if (sizes.nodes % cols != 0) continue;
    const NodeGrid grid{sizes.nodes / cols, cols};
    if (bytesOfAAndC(grid, sizes, wire) < least) grids.push_back(grid);
  }
  return grids;
}

bool mayOverlap(const NodeGrid& grid, double giBytes, const ProductSizes& sizes, const WireSizes& wire) {
  if (grid.nodes() == 1) return false;
  if (grid.cols > 1) return true;  // A comes by rounds anyway
  const double copied = static_cast<double>(sizes.entriesA) * static_cast<double>(wire.entry);
  const double perRow = static_cast<double>(sizes.entriesA) * static_cast<double>(sizes.entriesB) /
                        static_cast<double>(std::max<std::int64_t>(sizes.inner, 1)) /
                        static_cast<double>(std::max<std::int64_t>(sizes.rows, 1));
  return giBytes >= copied / 4 && perRow >= 4.0 * grid.rounds();
}

int mostPanels(const ProductSizes& sizes) {
  constexpr std::int64_t most = 8, fewest = 3, fewestEntriesARow = 6;
  const std::int64_t perRow = sizes.entriesB / std::max<std::int64_t>(sizes.inner, 1);
  const std::int64_t panels = std::min(most, perRow / fewestEntriesARow);
  return panels < fewest ? 1 : static_cast<int>(panels);
}

int panelsThatPay(double giBytes, const ProductSizes& sizes, const WireSizes& wire, const Machine& machine) {
  // Measured on Erdos-Renyi matrices with 64 entries a row: going through A once more takes a product and a
  // half an entry, moving an entry of C a quarter of a product.
  constexpr double visit = 1.5, moved = 0.25, gain = 0.9;
  const double inner = static_cast<double>(std::max<std::int64_t>(sizes.inner, 1));
  const double entriesA = static_cast<double>(sizes.entriesA) / sizes.ranks;
  const double perRow = static_cast<double>(sizes.entriesB) / inner;
  const double entriesC =
      std::min(static_cast<double>(sizes.entriesCAtMost) / sizes.ranks, entriesA * perRow);
  const auto work = [&](double products) { return products / machine.multiplicationsPerSecond; };
  const auto exchange = [&](int panels) {
    const double lengths = static_cast<double>(panels - 1) * static_cast<double>(wire.row) *
                           std::min(static_cast<double>(sizes.needed.rows), inner * (sizes.nodes - 1));
    return (giBytes + lengths) / sizes.nodes / machine.giBytesPerSecond;
  };
  const double oneAfterTheOther = exchange(1) + work(entriesA * perRow);
  int best = 1;
  double least = gain * oneAfterTheOther;
  const int most = mostPanels(sizes);
  for (int panels = 3; panels <= most; ++panels) {  // of two, gathered B takes more memory than whole
    const double E = exchange(panels);
    const double W = work(entriesA * (perRow + visit * (panels - 1)));
    const double seconds = (E + W + (panels - 1) * std::max(E, W)) / panels + work(moved * entriesC);
    if (seconds >= least) continue;
    best = panels;
    least = seconds;
  }
  return best;
}

CandidateCosts choose(const ProductSizes& sizes, const WireSizes& wire, const std::vector<NodeGrid>& grids,
                      const std::vector<NeededSum>& needed, const Machine& machine) {
  const CandidateCosts oneColumn = nodeAware1D(sizes, wire);
  std::vector<CandidateCosts> candidates{oneColumn};
  for (std::size_t g = 0; g < grids.size(); ++g)
    for (const CandidateCosts& costs :
         {neededRows(grids[g], needed[g], sizes, wire), wholeTiles(grids[g], sizes, wire)})
      if (costs.giBytesSum <= oneColumn.giBytesSum)
        candidates.push_back(costs);  // never more bytes than Tpetra
  return candidates[cheapest(candidates, machine)];
}

}  // namespace Trident
