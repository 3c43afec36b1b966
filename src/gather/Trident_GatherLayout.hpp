#ifndef TRIDENT_GATHER_LAYOUT_HPP
#define TRIDENT_GATHER_LAYOUT_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "exchange/Trident_NeededRows.hpp"
#include "plan/Trident_FetchSchedule.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {

/// Where one part of a round's B lies in its batch.
struct PartPlace {
  Part part;
  std::int64_t rows;      ///< that this node needs
  std::int64_t firstRow;  ///< in the round
  std::int64_t firstEntry = 0;
  std::int64_t entries = 0;
  int receive = -1;  ///< number among this rank's receives; -1: its own rows, or another rank's part
};

/// Where one round's B lies in its batch.
struct RoundPlace {
  int batch = 0;
  int batchEnd = 0;           ///< one past the last round of its batch
  std::int64_t firstRow = 0;  ///< in the batch
  std::int64_t firstEntry = 0;
  std::int64_t rows = 0;
  std::int64_t entries = 0;
  std::vector<PartPlace> parts;
};

/// How much of B a gather may hold at a time.
struct GatherLimits {
  std::int64_t bytes;      ///< per node, of all batches that are there at a time
  int roundsPerBatch = 0;  ///< 0: as many as fit
};

/// Bytes of one row and of one entry in the gather's arrays.
struct GatherSizes {
  std::int64_t row;
  std::int64_t entry;
};

/// The places of all rounds' tiles of B on this rank's node, and the batches they form. Rounds come panel by
/// panel. If there are several panels, three batches are there at a time: one is multiplied, the next two
/// land, so that the links have something to carry while ranks wait for each other.
class GatherLayout {
 public:
  /// `receives` are this rank's fetches of B and `ownEntries` its own part of each round's B, entries known.
  /// The rounds are as many as the latter. With `needed`, only these rows count. Collective over the node:
  /// one all-gather of counts.
  GatherLayout(const Context& context, const NodeGrid& grid, const FetchSchedule& schedule,
               const std::vector<Fetch>& receives, const std::vector<std::int64_t>& ownEntries,
               const NeededRows* needed);

  /// Cuts the rounds into batches, those of all panels alike. A single round is a batch of its own even when
  /// it exceeds the limit.
  void cutIntoBatches(const GatherSizes& sizes, const GatherLimits& limits);

  const RoundPlace& round(int t) const { return rounds_[t]; }

  /// The round of this rank's f-th receive, and its part there.
  const std::pair<int, int>& placeOfReceive(std::size_t f) const { return placeOfReceive_[f]; }

  /// This rank's own part of a round; null if its node holds nothing of that round.
  const PartPlace* ownPart(int t) const { return ownPart_[t] < 0 ? nullptr : &rounds_[t].parts[ownPart_[t]]; }
  int rounds() const { return static_cast<int>(rounds_.size()); }
  int panels() const { return panels_; }
  int batches() const { return batches_; }
  int batchesAPanel() const { return batches_ / panels_; }
  int batchesAtATime() const { return panels_ > 1 ? 3 : 1; }
  bool endsPanel(int t) const { return (t + 1) % (rounds() / panels_) == 0; }

  /// Rows and entries of the largest batch, each by itself.
  std::int64_t mostRows() const { return mostRows_; }
  std::int64_t mostEntries() const { return mostEntries_; }

 private:
  void shareEntries(const Context& context, std::vector<std::int64_t> mine);
  void placeBatch(int first, int end);

  std::vector<RoundPlace> rounds_;
  std::vector<int> ownPart_;
  std::vector<std::pair<int, int>> placeOfReceive_;
  int panels_;
  int batches_ = 0;
  std::int64_t mostRows_ = 0;
  std::int64_t mostEntries_ = 0;
};

}  // namespace Trident

#endif
