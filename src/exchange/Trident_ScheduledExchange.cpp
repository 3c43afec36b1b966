#include "exchange/Trident_ScheduledExchange.hpp"

#include "exchange/Trident_Counts.hpp"

namespace Trident {

// A consumer lists what it receives in the same order as each owner lists what it sends to that consumer:
// A before B, by round, by row.
void announceFetches(Channel& channel, FetchLists& fetches) {
  CountsByRank told;
  CountsByRank heard;
  for (const auto* sends : {&fetches.sendsA, &fetches.sendsB})
    for (const Fetch& fetch : *sends)
      told[fetch.to].insert(told[fetch.to].end(), {fetch.entries, fetch.filledRows});
  for (const auto* receives : {&fetches.receivesA, &fetches.receivesB})
    for (const Fetch& fetch : *receives) heard[fetch.from].insert(heard[fetch.from].end(), 2, 0);

  exchangeCounts(channel, Phase::setup, told, heard);

  std::map<int, std::size_t> next;
  for (auto* receives : {&fetches.receivesA, &fetches.receivesB})
    for (Fetch& fetch : *receives) {
      fetch.entries = heard[fetch.from][next[fetch.from]++];
      fetch.filledRows = heard[fetch.from][next[fetch.from]++];
    }
}

}  // namespace Trident
