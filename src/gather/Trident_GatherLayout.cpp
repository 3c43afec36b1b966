#include "gather/Trident_GatherLayout.hpp"

#include <algorithm>

#include "observe/Trident_Waiting.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {

GatherLayout::GatherLayout(const Context& context, const NodeGrid& grid, const FetchSchedule& schedule,
                           const std::vector<Fetch>& receives, const std::vector<std::int64_t>& ownEntries,
                           const NeededRows* needed)
    : rounds_(ownEntries.size()),
      ownPart_(rounds_.size(), -1),
      panels_(static_cast<int>(rounds_.size()) / grid.rounds()) {
  const int node = context.node();
  std::vector<std::int64_t> mine;  // entries of the parts this rank brings, by round and part
  for (int t = 0; t < rounds(); ++t) {
    RoundPlace& place = rounds_[t];
    for (const Part& part : schedule.partsOfB(node, grid.stagger(t, grid.row(node), grid.col(node)))) {
      const Fetch& run = part.run;
      const std::int64_t rows =
          needed == nullptr ? run.rows : needed->count(run.firstId, run.firstId + run.rows);
      place.parts.push_back(PartPlace{part, rows, place.rows});
      place.rows += rows;
      if (part.receiver != context.slice()) continue;
      const auto number = static_cast<int>(place.parts.size()) - 1;
      if (part.atHome) {
        ownPart_[t] = number;
        mine.push_back(ownEntries[t]);
      } else {
        place.parts.back().receive = static_cast<int>(placeOfReceive_.size());
        mine.push_back(receives[placeOfReceive_.size()].entries);
        placeOfReceive_.emplace_back(t, number);
      }
    }
  }
  shareEntries(context, std::move(mine));
}

void GatherLayout::shareEntries(const Context& context, std::vector<std::int64_t> mine) {
  const int ranks = context.topology().ranksOn(context.node());
  std::vector<int> counts(static_cast<std::size_t>(ranks), 0);
  for (const RoundPlace& round : rounds_)
    for (const PartPlace& place : round.parts) ++counts[place.part.receiver];
  std::vector<int> first(static_cast<std::size_t>(ranks) + 1, 0);
  for (int k = 0; k < ranks; ++k) first[k + 1] = first[k] + counts[k];

  std::vector<std::int64_t> all(static_cast<std::size_t>(first.back()));
  checkMpi(watchedAllgatherv(mine.data(), all.data(), counts, first, MPI_INT64_T, context.nodeComm()),
           "MPI_Allgatherv");
  for (RoundPlace& round : rounds_)
    for (PartPlace& place : round.parts) {
      place.firstEntry = round.entries;
      place.entries = all[first[place.part.receiver]++];
      round.entries += place.entries;
    }
}

void GatherLayout::cutIntoBatches(const GatherSizes& sizes, const GatherLimits& limits) {
  batches_ = 0;
  mostRows_ = 0;
  mostEntries_ = 0;
  const int ofPanel = rounds() / panels_;
  // Of the panel that has most entries in the round; rows are the same in all.
  const auto bytesOf = [&](int t) {
    std::int64_t entries = 0;
    for (int s = t; s < rounds(); s += ofPanel) entries = std::max(entries, rounds_[s].entries);
    return rounds_[t].rows * sizes.row + entries * sizes.entry;
  };
  std::vector<int> ends;
  std::int64_t bytes = 0;
  for (int t = 0, first = 0; t < ofPanel; ++t) {
    bytes += bytesOf(t);
    const bool full = limits.roundsPerBatch > 0 && t - first == limits.roundsPerBatch;
    if (t == first || (!full && bytes <= limits.bytes / batchesAtATime())) continue;
    ends.push_back(t);
    first = t;
    bytes = bytesOf(t);
  }
  ends.push_back(ofPanel);
  for (int panel = 0; panel < panels_; ++panel)
    for (std::size_t b = 0; b < ends.size(); ++b)
      placeBatch(panel * ofPanel + (b == 0 ? 0 : ends[b - 1]), panel * ofPanel + ends[b]);
}

void GatherLayout::placeBatch(int first, int end) {
  std::int64_t rows = 0;
  std::int64_t entries = 0;
  for (int t = first; t < end; ++t) {
    RoundPlace& place = rounds_[t];
    place.batch = batches_;
    place.batchEnd = end;
    place.firstRow = rows;
    place.firstEntry = entries;
    rows += place.rows;
    entries += place.entries;
  }
  mostRows_ = std::max(mostRows_, rows);
  mostEntries_ = std::max(mostEntries_, entries);
  ++batches_;
}

}  // namespace Trident
