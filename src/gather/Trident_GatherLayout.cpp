#include "gather/Trident_GatherLayout.hpp"

#include <algorithm>

#include "observe/Trident_Waiting.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {

GatherLayout::GatherLayout(const Context& context, const NodeGrid& grid, const FetchSchedule& schedule,
                           const std::vector<Fetch>& receives, const std::vector<std::int64_t>& ownEntries,
                           const NeededRows* needed)
    : rounds_(static_cast<std::size_t>(grid.rounds())), ownPart_(rounds_.size(), -1) {
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
  int first = 0;
  while (first < rounds()) {
    std::int64_t rows = 0;
    std::int64_t entries = 0;
    int end = first;
    for (; end < rounds(); ++end) {
      RoundPlace& next = rounds_[end];
      const std::int64_t bytes = (rows + next.rows) * sizes.row + (entries + next.entries) * sizes.entry;
      const bool full = limits.roundsPerBatch > 0 && end - first == limits.roundsPerBatch;
      if (end > first && (full || bytes > limits.bytes)) break;
      next.firstRow = rows;
      next.firstEntry = entries;
      rows += next.rows;
      entries += next.entries;
    }
    for (int t = first; t < end; ++t) rounds_[t].batchEnd = end;
    mostRows_ = std::max(mostRows_, rows);
    mostEntries_ = std::max(mostEntries_, entries);
    ++batches_;
    first = end;
  }
}

}  // namespace Trident
