#ifndef TRIDENT_CONVERT_HPP
#define TRIDENT_CONVERT_HPP

#include <algorithm>
#include <utility>
#include <vector>

#include "exchange/Trident_RowMessages.hpp"
#include "exchange/detail/Trident_PackRows.hpp"
#include "layout/Trident_IndexSpace.hpp"
#include "layout/Trident_Tile.hpp"
#include "multiply/detail/Trident_ConvertKernels.hpp"

namespace Trident {

/// The columns of an operand, cut into segments that become tiles of their own.
struct ColumnCut {
  std::vector<std::int64_t>
      start;                    ///< first id of each segment, and the end; unless renumberColumns() decides
  std::vector<int> nodeColumn;  ///< the column of the grid whose nodes get the segment

  int segments() const { return static_cast<int>(nodeColumn.size()); }
};

/// The base blocks, for A: each round fetches one.
ColumnCut cutByBaseBlock(const NodeGrid& grid, const IndexSpace& inner);

/// The column blocks, for B, each in so many panels.
ColumnCut cutByColumnBlock(const NodeGrid& grid, const IndexSpace& columns, int panels);

/// First column of each panel of column block j, counted in the block, and the end.
std::vector<std::int64_t> panelStarts(const IndexSpace& columns, int j, int panels);

/// What becomes of a rank's rows: each segment goes to the rank that holds the slice of these rows on the
/// segment's node (1D rows into tiles, the paper); or they stay where they are, 1D rows at their owner or a
/// slice of a tile, and are cut only.
enum class RowMove { toTiles, stayOwned, stayTiled };

/// Cuts rows into one tile a segment, and moves them where the task says. Entries keep the order they have in
/// their row.
template <class Types>
class Converter {
 public:
  /// What is cut, and what for. All must outlive the converter.
  struct Task {
    const IndexSpace& rows;
    const ColumnCut& cut;
    Phase phase;
    RowMove move;
  };

  Converter(Channel& channel, const NodeGrid& grid, const Task& task)
      : channel_(channel),
        rows_(task.rows),
        cut_(task.cut),
        phase_(task.phase),
        ownPieces_(task.rows.piecesOf(channel.context().rank())) {
    const Context& context = channel.context();
    const int node = context.node();
    const int i = grid.row(node);
    const bool stays = task.move != RowMove::toTiles;
    slicePieces_ = rows_.slicePieces(i, context.topology().ranksOn(node), context.slice());
    if (task.move == RowMove::stayOwned) slicePieces_ = ownPieces_;
    if (task.move == RowMove::stayTiled) ownPieces_ = slicePieces_;
    layOutRuns(task.move == RowMove::stayTiled);
    for (int s = 0; s < cut_.segments(); ++s) {
      const int holderNode = stays ? node : grid.node(i, cut_.nodeColumn[s]);
      for (const int piece : ownPieces_)
        outgoing_.push_back({s, piece, stays ? self() : rows_.holder(rows_.pieces()[piece], holderNode)});
      if (holderNode != node) continue;
      if (segments_++ == 0) firstSegment_ = s;
      for (const int piece : slicePieces_)
        incoming_.push_back({s, piece, stays ? self() : rows_.pieces()[piece].rank});
    }
  }

  // Five steps, in this order. Those that work on this rank alone may throw without a message being under
  // way, so that all ranks can agree on a failure before the next step.

  /// Finds the segment of each column. Local.
  void place(const LocalRows<Types>& local) {
    places_ = detail::placeColumns<Types>(local.columnIds, cut_.start);
  }

  /// Gives columns other places: `place(segment, column)` is the segment and number of each. Local.
  template <class Place>
  void renumberColumns(const Place& place) {
    const auto segment = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), places_.segment);
    const auto column = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), places_.columnInSegment);
    places_.stay = cut_.segments() == 1;
    for (std::size_t c = 0; c < column.extent(0); ++c) {
      const std::pair<int, std::int64_t> to =
          place(static_cast<int>(segment(c)), static_cast<std::int64_t>(column(c)));
      segment(c) = static_cast<Ordinal>(to.first);
      column(c) = static_cast<Ordinal>(to.second);
      if (to.second != static_cast<std::int64_t>(c)) places_.stay = false;
    }
    Kokkos::deep_copy(places_.segment, segment);
    Kokkos::deep_copy(places_.columnInSegment, column);
  }

  /// Counts what goes where and lays out the row lengths of the tiles. Local.
  void count(const LocalRows<Types>& local) {
    lengths_ = detail::lengthsBySegment<Types>(local, places_, cut_.segments());
    for (std::size_t b = 0; b < outgoing_.size(); ++b) {
      Block& block = outgoing_[b];
      const Piece& run = runs_[b % runs_.size()];
      block.entries = detail::entriesOf<Types>(lengths_, block.segment, run);
      block.rowLengths =
          lengths_.data() + block.segment * static_cast<std::int64_t>(lengths_.extent(1)) + run.firstLocal;
    }
    if (!nothingMoves()) layOutLengths();
  }

  /// Sends and receives row lengths, from which the sizes of tiles follow.
  void exchangeLengths() {
    Channel::Requests requests;
    for (const Block& block : incoming_)
      if (block.rank != self()) receiveLengths<Types>(channel_, block.rowLengths, message(block), requests);
    for (const Block& block : outgoing_)
      if (block.rank != self()) sendLengths<Types>(channel_, block.rowLengths, message(block), requests);
    Channel::wait(requests);
    for (Block& block : incoming_)
      if (block.rank != self())
        block.entries =
            detail::sumOf<Types>(Lengths(block.rowLengths, static_cast<std::size_t>(rowsOf(block))));
  }

  /// Allocates the tiles and fills in what stays on this rank and what will be sent. `local` must stay as it
  /// is while the tiles are in use: where nothing moves, they look into it. Local.
  void pack(const LocalRows<Types>& local) {
    if (nothingMoves()) {
      tiles_.assign(1, viewOf(local));
      return;
    }
    layOutTiles();
    placeOutgoing();
    packOutgoing(local);
  }

  /// Moves the entries. One slice for each segment of this rank's node, in the order of the segments.
  std::vector<TileSlice<Types>> exchangeTiles() {
    if (!nothingMoves()) exchangeBlocks();
    return std::move(tiles_);
  }

  /// Entries of this rank's rows by segment; known after count().
  std::vector<std::int64_t> entriesBySegment() const {
    std::vector<std::int64_t> entries(static_cast<std::size_t>(cut_.segments()), 0);
    for (const Block& block : outgoing_) entries[block.segment] += block.entries;
    return entries;
  }

 private:
  using Ordinal = typename Types::ordinal_type;
  using Scalar = typename Types::scalar_type;

  // The rows of one piece within one segment: what one message carries.
  struct Block {
    int segment;
    int piece;
    int rank;  // where it goes, or comes from
    std::int64_t entries = 0;
    Ordinal* rowLengths = nullptr;
    Ordinal* columns = nullptr;
    Scalar* values = nullptr;
  };

  using Lengths = Kokkos::View<Ordinal*, typename Types::device_type, Kokkos::MemoryUnmanaged>;

  int self() const { return channel_.context().rank(); }

  std::int64_t rowsOf(const Block& block) const { return rows_.pieces()[block.piece].count; }

  RowMessage message(const Block& block) const { return {block.rank, phase_, rowsOf(block), block.entries}; }

  // One segment, one slice that is exactly this rank's rows: A's values stay where they are.
  bool nothingMoves() const { return cut_.segments() == 1 && slicePieces_ == ownPieces_; }

  // The same block in the other list: where what stays on this rank comes from, or goes.
  static const Block& twin(const std::vector<Block>& blocks, const Block& block) {
    return *std::find_if(blocks.begin(), blocks.end(), [&block](const Block& other) {
      return other.segment == block.segment && other.piece == block.piece;
    });
  }

  // Rows of a tile lie by piece, those of a 1D owner where the pieces say.
  void layOutRuns(bool ofTile) {
    std::int64_t next = 0;
    for (const int piece : ownPieces_) {
      runs_.push_back(rows_.pieces()[piece]);
      if (ofTile) runs_.back().firstLocal = next;
      next += runs_.back().count;
    }
  }

  // What is known of the blocks that stay on this rank is filled in at once.
  void layOutLengths() {
    tiles_.resize(static_cast<std::size_t>(segments_));
    for (const Block& block : incoming_) {
      auto& firstRow = tiles_[block.segment - firstSegment_].firstRow;
      firstRow.push_back(firstRow.back() + rowsOf(block));
    }
    std::size_t next = 0;
    for (auto& tile : tiles_) {
      tile.rowLengths = allocate<typename Types::Ordinals>("Trident::convert::tile::rowLengths", tile.rows());
      for (std::size_t p = 0; p + 1 < tile.firstRow.size(); ++p, ++next) {
        Block& block = incoming_[next];
        block.rowLengths = tile.rowLengths.data() + tile.firstRow[p];
        if (block.rank != self()) continue;
        const Block& here = twin(outgoing_, block);
        const auto rows = static_cast<std::size_t>(rowsOf(block));
        Kokkos::deep_copy(Lengths(block.rowLengths, rows), Lengths(here.rowLengths, rows));
        block.entries = here.entries;
      }
    }
  }

  void layOutTiles() {
    for (const Block& block : incoming_) {
      auto& firstEntry = tiles_[block.segment - firstSegment_].firstEntry;
      firstEntry.push_back(firstEntry.back() + block.entries);
    }
    std::size_t next = 0;
    for (auto& tile : tiles_) {
      const auto columns =
          allocate<typename Types::Ordinals>("Trident::convert::tile::columns", tile.entries());
      const auto values = allocate<typename Types::Values>("Trident::convert::tile::values", tile.entries());
      tile.columns = columns;
      tile.values = values;
      for (std::size_t p = 0; p + 1 < tile.firstRow.size(); ++p, ++next) {
        incoming_[next].columns = columns.data() + tile.firstEntry[p];
        incoming_[next].values = values.data() + tile.firstEntry[p];
      }
    }
  }

  TileSlice<Types> viewOf(const LocalRows<Types>& local) {
    TileSlice<Types> tile;
    for (const Block& block : outgoing_) {
      tile.firstRow.push_back(tile.rows() + rowsOf(block));
      tile.firstEntry.push_back(tile.entries() + block.entries);
    }
    tile.rowLengths = Kokkos::subview(lengths_, 0, Kokkos::ALL());
    tile.values = local.values;
    tile.columns = local.columns;
    if (!places_.stay) tile.columns = detail::renumbered<Types>(local.columns, places_, tile.entries());
    return tile;
  }

  void packOutgoing(const LocalRows<Types>& local);
  void placeOutgoing();
  void exchangeBlocks();

  Channel& channel_;
  const IndexSpace& rows_;
  const ColumnCut& cut_;
  Phase phase_;
  std::vector<int> ownPieces_;
  std::vector<Piece> runs_;  // the own pieces, first rows counted in this rank's rows as they lie
  std::vector<int> slicePieces_;
  std::vector<Block> outgoing_;  // by segment and piece; own pieces
  std::vector<Block> incoming_;  // by segment and piece; own segments, pieces of the slice
  std::vector<TileSlice<Types>> tiles_;
  int segments_ = 0;
  int firstSegment_ = 0;
  detail::ColumnPlaces<Types> places_;
  detail::LengthsBySegment<Types> lengths_;
  typename Types::Ordinals sentColumns_;
  typename Types::Values sentValues_;
};

// Writes each block where it belongs: into the tile if the block stays on this rank, into the send buffer
// otherwise.
template <class Types>
void Converter<Types>::packOutgoing(const LocalRows<Types>& local) {
  const detail::ArraysBySegment<Types> to("Trident::convert::arrays",
                                          static_cast<std::size_t>(cut_.segments()), ownPieces_.size());
  const detail::OffsetsBySegment<Types> next("Trident::convert::next",
                                             static_cast<std::size_t>(cut_.segments()),
                                             static_cast<std::size_t>(local.rows()));
  const auto hostTo = Kokkos::create_mirror_view(to);
  for (std::size_t b = 0; b < outgoing_.size(); ++b) {
    const Block& block = outgoing_[b];
    hostTo(block.segment, b % ownPieces_.size()) = {block.columns, block.values};
    detail::offsetsOf<Types>(lengths_, block.segment, runs_[b % runs_.size()], next);
  }
  Kokkos::deep_copy(to, hostTo);
  for (std::size_t p = 0; p < ownPieces_.size(); ++p)
    detail::packPiece<Types>(local, places_, runs_[p], static_cast<int>(p), next, to);
}

// Gives every outgoing block its arrays: in the tile if it stays on this rank, in the send buffer otherwise.
template <class Types>
void Converter<Types>::placeOutgoing() {
  std::int64_t sent = 0;
  for (const Block& block : outgoing_)
    if (block.rank != self()) sent += block.entries;
  sentColumns_ = allocate<typename Types::Ordinals>("Trident::convert::sentColumns", sent);
  sentValues_ = allocate<typename Types::Values>("Trident::convert::sentValues", sent);
  std::int64_t next = 0;
  for (Block& block : outgoing_) {
    if (block.rank == self()) {
      const Block& place = twin(incoming_, block);
      block.columns = place.columns;
      block.values = place.values;
    } else {
      block.columns = sentColumns_.data() + next;
      block.values = sentValues_.data() + next;
      next += block.entries;
    }
  }
}

template <class Types>
void Converter<Types>::exchangeBlocks() {
  Channel::Requests requests;
  for (const Block& block : incoming_) {
    if (block.rank == self()) continue;
    receiveEntries<Types>(channel_, {block.columns, block.values}, message(block), requests);
    channel_.countTile(block.rank, phase_, rowsOf(block), block.entries);
  }
  for (const Block& block : outgoing_)
    if (block.rank != self())
      sendEntries<Types>(channel_, {block.columns, block.values}, message(block), requests);
  Channel::wait(requests);
}

}  // namespace Trident

#endif
