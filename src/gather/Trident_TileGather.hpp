#ifndef TRIDENT_TILE_GATHER_HPP
#define TRIDENT_TILE_GATHER_HPP

#include <vector>

#include "exchange/Trident_Channel.hpp"
#include "exchange/Trident_TileExchange.hpp"
#include "exchange/detail/Trident_PackRows.hpp"
#include "layout/Trident_Tile.hpp"
#include "observe/Trident_Waiting.hpp"

namespace Trident {

/// B(r,j) of one round, gathered, among the other rounds of its batch: their rows stand one below the other
/// in the order of the rounds, so that the batch can be multiplied in one pass.
template <class Types>
struct GatheredTile {
  std::int64_t firstRow = 0;  ///< of this round's tile in the batch
  std::int64_t rows = 0;      ///< of this round's tile
  bool endsBatch = false;     ///< no round after this one can be gathered before this batch is used up

  /// The batch. Rows of rounds not yet gathered are undefined, and all are until the
  /// batch ends unless `readable` says otherwise. Valid until the next batch is opened.
  typename Types::ConstOffsets rowPtr;
  typename Types::ConstOrdinals columns;
  typename Types::ConstValues values;

  bool readable = false;  ///< the rows of this round and those before it in the batch may be read at once
  bool last = false;      ///< this is the last round of its panel
};

/// What this rank brings to the gather besides the entries that land in it.
template <class Types>
struct BroughtRows {
  const std::vector<typename Types::ConstOrdinals>& lengths;  ///< of the rows of each receive of B
  const std::vector<PackedRows<Types>>& own;                  ///< its own part of each round's B
};

/// What a gather works with besides its layout; all must outlive it.
template <class Types>
struct GatherParts {
  Channel& channel;
  Waiting& waiting;
  BroughtRows<Types> brought;

  /// Whether rounds are multiplied before their batch is complete; the ranks of a node then wait for each
  /// other in every round.
  bool everyRound;
};

/// Assembles B(r,j) on a node from the slices its ranks have received (paper, Algorithm 2, line 1).
template <class Types>
class TileGather : public TileLanding<Types> {
 public:
  /// Makes round t's tile readable by this rank, once receiveB(t) has returned on it. Collective over the
  /// node; rounds in order.
  virtual GatheredTile<Types> assemble(int t) = 0;

  /// Number of batches the rounds were cut into.
  virtual int batches() const = 0;
};

}  // namespace Trident

#endif
