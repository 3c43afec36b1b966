#include "plan/Trident_Traffic.hpp"

namespace Trident {

std::vector<std::int64_t> trafficOfConversion(const NodeGrid& grid, const NodeTally& tally, int blocks,
                                              const WireSizes& wire) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(grid.nodes()), 0);
  for (int from = 0; from < grid.nodes(); ++from)
    for (int block = 0; block < blocks; ++block) {
      const int column = block / (blocks / grid.cols);
      if (column == grid.col(from)) continue;
      bytes[grid.node(grid.row(from), column)] +=
          tally.rows[from] * wire.row + tally.entries[from * blocks + block] * wire.entry;
    }
  return bytes;
}

std::vector<std::int64_t> trafficOfA(const NodeGrid& grid, const NodeTally& tally, const WireSizes& wire) {
  const int rounds = grid.rounds();
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(grid.nodes()), 0);
  for (int to = 0; to < grid.nodes(); ++to)
    for (int r = 0; r < rounds; ++r) {
      if (grid.colBlock(r) == grid.col(to)) continue;
      for (int j = 0; j < grid.cols; ++j) {
        const int owner1D = grid.node(grid.row(to), j);
        bytes[to] += tally.rows[owner1D] * wire.row + tally.entries[owner1D * rounds + r] * wire.entry;
      }
    }
  return bytes;
}

std::vector<std::int64_t> trafficOfB(const NodeGrid& grid, const NodeTally& tally, const WireSizes& wire) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(grid.nodes()), 0);
  for (int to = 0; to < grid.nodes(); ++to)
    for (int owner1D = 0; owner1D < grid.nodes(); ++owner1D)
      if (grid.row(owner1D) != grid.row(to))
        bytes[to] +=
            tally.rows[owner1D] * wire.row + tally.entries[owner1D * grid.cols + grid.col(to)] * wire.entry;
  return bytes;
}

// A node receives all of its row block that it does not own, each row once for every round.
std::vector<std::int64_t> trafficOfAFromOwners(const NodeGrid& grid, const NodeTally& tally,
                                               const WireSizes& wire) {
  const int rounds = grid.rounds();
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(grid.nodes()), 0);
  for (int to = 0; to < grid.nodes(); ++to)
    for (int j = 0; j < grid.cols; ++j) {
      const int owner = grid.node(grid.row(to), j);
      if (owner == to) continue;
      for (int r = 0; r < rounds; ++r)
        bytes[to] += tally.rows[owner] * wire.row + tally.entries[owner * rounds + r] * wire.entry;
    }
  return bytes;
}

std::vector<std::int64_t> trafficOfBFromOwners(const NodeGrid& grid, const NodeTally& tally,
                                               const WireSizes& wire) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(grid.nodes()), 0);
  for (int to = 0; to < grid.nodes(); ++to)
    for (int owner = 0; owner < grid.nodes(); ++owner)
      if (owner != to)
        bytes[to] +=
            tally.rows[owner] * wire.row + tally.entries[owner * grid.cols + grid.col(to)] * wire.entry;
  return bytes;
}

std::vector<std::int64_t> trafficOfMapBack(const NodeGrid& grid, const NodeTally& tally,
                                           const WireSizes& wire) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(grid.nodes()), 0);
  for (int to = 0; to < grid.nodes(); ++to)
    for (int column = 0; column < grid.cols; ++column)
      if (column != grid.col(to))
        bytes[to] += tally.rows[to] * wire.row + tally.entries[to * grid.cols + column] * wire.entry;
  return bytes;
}

}  // namespace Trident
