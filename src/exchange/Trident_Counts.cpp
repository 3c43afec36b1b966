#include "exchange/Trident_Counts.hpp"

namespace Trident {

void exchangeCounts(Channel& channel, Phase phase, CountsByRank& told, CountsByRank& heard) {
  Channel::Requests requests;
  for (auto& [rank, counts] : heard)
    channel.receive(counts.data(), static_cast<std::int64_t>(counts.size()), sizeof(std::int64_t),
                    {rank, phase, Kind::request}, requests);
  for (auto& [rank, counts] : told)
    channel.send(counts.data(), static_cast<std::int64_t>(counts.size()), sizeof(std::int64_t),
                 {rank, phase, Kind::request}, requests);
  Channel::wait(requests);
}

}  // namespace Trident
