#include "exchange/Trident_RowLists.hpp"

#include <algorithm>

namespace Trident {
namespace {

void repeat(std::vector<Fetch>& fetches, int panels, int rounds) {
  const std::vector<Fetch> ofOne = fetches;
  for (int panel = 1; panel < panels; ++panel)
    for (Fetch fetch : ofOne) {
      fetch.round += panel * rounds;
      fetch.panel = panel;
      fetches.push_back(fetch);
    }
}

}  // namespace

void FetchLists::cutIntoPanels(int panels, int rounds) {
  repeat(receivesB, panels, rounds);
  repeat(sendsB, panels, rounds);
}

// One bitmap of this rank's rows at a time: pairs name a row once for each rank of a node, and sorting them
// took longer than the rest of the plan.
NeededOfOwner::NeededOfOwner(const Topology& topology, const NodeGrid& grid, std::int64_t ownRows,
                             const RowConsumers& consumers)
    : rows_(static_cast<std::size_t>(grid.rows)) {
  std::vector<std::vector<std::int64_t>> pairs(rows_.size());
  for (std::size_t p = 0; p < consumers.rows.size(); ++p)
    pairs[grid.row(topology.nodeOf(consumers.ranks[p]))].push_back(consumers.rows[p]);

  std::vector<std::uint64_t> bits(static_cast<std::size_t>(ownRows / 64 + 1), 0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (pairs[i].empty()) continue;
    for (const std::int64_t row : pairs[i]) bits[row >> 6] |= std::uint64_t{1} << (row & 63);
    for (std::size_t word = 0; word < bits.size(); ++word) {
      for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
        rows_[i].push_back(static_cast<std::int64_t>(word) * 64 + __builtin_ctzll(left));
      bits[word] = 0;
    }
  }
}

}  // namespace Trident
