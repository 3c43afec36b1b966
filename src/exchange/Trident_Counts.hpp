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

}  // namespace Trident

#endif
