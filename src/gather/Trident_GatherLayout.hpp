#ifndef TRIDENT_GATHER_LAYOUT_HPP
#define TRIDENT_GATHER_LAYOUT_HPP

#include <cstdint>
#include <vector>

#include "exchange/Trident_NeededRows.hpp"
#include "plan/Trident_FetchSchedule.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {

/// Where one part of a round's B lies in its batch.
struct PartPlace {
  Part part;
  std::int64_t firstRow;
  std::int64_t firstEntry;
  std::int64_t entries;
};

/// Where one round's B lies in its batch.
struct RoundPlace {
  int batchFirst = 0;         ///< first round of its batch
  int batchEnd = 0;           ///< one past the last
  std::int64_t firstRow = 0;  ///< in the batch
  std::int64_t firstEntry = 0;
  std::int64_t rows = 0;
  std::int64_t entries = 0;
  Fetch own;           ///< if `isOwn`: this rank's rows of its own tile
  bool isOwn = false;  ///< the tile is the node's own: nothing is fetched
  std::vector<PartPlace> parts;
};

/// How much of B a gather may hold at a time.
struct GatherLimits {
  std::int64_t bytes;      ///< per node
  int roundsPerBatch = 0;  ///< 0: as many as fit
};

/// Bytes of one row and of one entry in the gather's arrays.
struct GatherSizes {
  std::int64_t row;
  std::int64_t entry;
};

/// The places of all rounds' tiles of B on this rank's node, and the batches they form.
class GatherLayout {
 public:
  /// `receives` are this rank's fetches of B with their entries known, `ownFirstEntry` the first entry of
  /// each piece of its slice of the node's own tile. With `needed`, tiles of other nodes hold the needed
  /// rows only. Collective over the node: one all-gather of counts.
  GatherLayout(const Context& context, const NodeGrid& grid, const FetchSchedule& schedule,
               const std::vector<Fetch>& receives, const std::vector<std::int64_t>& ownFirstEntry,
               const NeededRows* needed);

  /// Cuts the rounds into batches. A single round is a batch of its own even when it exceeds the limit.
  void cutIntoBatches(const GatherSizes& sizes, const GatherLimits& limits);

  const RoundPlace& round(int t) const { return rounds_[t]; }
  int rounds() const { return static_cast<int>(rounds_.size()); }
  int batches() const { return batches_; }

  /// Rows and entries of the largest batch, each by itself.
  std::int64_t mostRows() const { return mostRows_; }
  std::int64_t mostEntries() const { return mostEntries_; }

 private:
  void shareEntries(const Context& context, std::vector<std::int64_t> mine);

  std::vector<RoundPlace> rounds_;
  int batches_ = 0;
  std::int64_t mostRows_ = 0;
  std::int64_t mostEntries_ = 0;
};

}  // namespace Trident

#endif
