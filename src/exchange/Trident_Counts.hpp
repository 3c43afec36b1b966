#ifndef TRIDENT_COUNTS_HPP
#define TRIDENT_COUNTS_HPP

#include <cstdint>
#include <map>
#include <vector>

#include "exchange/Trident_Channel.hpp"

namespace Trident {

using CountsByRank = std::map<int, std::vector<std::int64_t>>;

/// Tells ranks how many entries the arrays hold that will follow: sends told[r] to each r in it and fills
/// heard[r], whose size both sides know, from each r in that. Blocks until all counts are here; point to
/// point, only between ranks that will exchange tiles.
void exchangeCounts(Channel& channel, Phase phase, CountsByRank& told, CountsByRank& heard);

/// The same for blocks, which have a `rank` and `entries`: fills in the entries of the incoming ones. Both
/// sides must list what passes between them in the same order. Blocks of this rank itself are left as they
/// are.
template <class Block>
void exchangeEntries(Channel& channel, Phase phase, const std::vector<Block>& outgoing,
                     std::vector<Block>& incoming) {
  const int self = channel.context().rank();
  CountsByRank told, heard;
  for (const Block& block : outgoing)
    if (block.rank != self) told[block.rank].push_back(block.entries);
  for (const Block& block : incoming)
    if (block.rank != self) heard[block.rank].push_back(0);
  exchangeCounts(channel, phase, told, heard);
  std::map<int, std::size_t> next;
  for (Block& block : incoming)
    if (block.rank != self) block.entries = heard[block.rank][next[block.rank]++];
}

}  // namespace Trident

#endif
