#ifndef TRIDENT_CONVERT_HPP
#define TRIDENT_CONVERT_HPP

#include <algorithm>
#include <vector>

#include "exchange/Trident_Counts.hpp"
#include "exchange/Trident_RowMessages.hpp"
#include "layout/Trident_IndexSpace.hpp"
#include "layout/Trident_Tile.hpp"
#include "multiply/detail/Trident_ConvertKernels.hpp"

namespace Trident {

/// The columns of an operand, cut into segments that become tiles of their own.
struct ColumnCut {
  std::vector<std::int64_t> start;  ///< first id of each segment, and the end
  std::vector<int> nodeColumn;      ///< the column of the grid whose nodes get the segment

  int segments() const { return static_cast<int>(nodeColumn.size()); }
};

/// The base blocks, for A: each round fetches one.
ColumnCut cutByBaseBlock(const NodeGrid& grid, const IndexSpace& inner);

/// The column blocks, for B.
ColumnCut cutByColumnBlock(const NodeGrid& grid, const IndexSpace& columns);

/// Assembles tiles from 1D rows: each rank sends the entries of every segment to the rank that holds the
/// slice of these rows on the segment's node, and gets those of its own slice. Entries keep the order they
/// have in their row.
template <class Types>
class Converter {
 public:
  Converter(Channel& channel, const NodeGrid& grid, const IndexSpace& rows, const ColumnCut& cut, Phase phase)
      : channel_(channel),
        rows_(rows),
        cut_(cut),
        phase_(phase),
        ownPieces_(rows.piecesOf(channel.context().rank())) {
    const Context& context = channel.context();
    const int node = context.node();
    const int i = grid.row(node);
    slicePieces_ = rows.slicePieces(i, context.topology().ranksOn(node), context.slice());
    for (int s = 0; s < cut.segments(); ++s) {
      for (const int piece : ownPieces_)
        outgoing_.push_back({s, piece, rows.holder(rows.pieces()[piece], grid.node(i, cut.nodeColumn[s]))});
      if (cut.nodeColumn[s] != grid.col(node)) continue;
      if (segments_++ == 0) firstSegment_ = s;
      for (const int piece : slicePieces_) incoming_.push_back({s, piece, rows.pieces()[piece].rank});
    }
  }

  // Four steps, in this order. Those that work on this rank alone may throw without a message being under
  // way, so that all ranks can agree on a failure before the next step.

  /// Counts what goes where. Local.
  void count(const LocalRows<Types>& local) {
    places_ = detail::placeColumns<Types>(local.columnIds, cut_.start);
    lengths_ = detail::lengthsBySegment<Types>(local, places_, cut_.segments());
    for (Block& block : outgoing_)
      block.entries = detail::entriesOf<Types>(lengths_, block.segment, rows_.pieces()[block.piece]);
  }

  /// Gives the columns of a segment other numbers: `number(segment, column)` is that of each. After count().
  template <class Number>
  void renumberColumns(const Number& number) {
    const auto segment = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), places_.segment);
    const auto column = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), places_.columnInSegment);
    for (std::size_t c = 0; c < column.extent(0); ++c)
      column(c) =
          static_cast<Ordinal>(number(static_cast<int>(segment(c)), static_cast<std::int64_t>(column(c))));
    Kokkos::deep_copy(places_.columnInSegment, column);
  }

  /// Tells the ranks that get something how many entries, and hears the same.
  void exchangeEntries() {
    Trident::exchangeEntries(channel_, phase_, outgoing_, incoming_);
    for (Block& block : incoming_)
      if (block.rank == self()) block.entries = twin(outgoing_, block).entries;
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

  int self() const { return channel_.context().rank(); }

  // One segment, one slice that is exactly this rank's rows: A's values stay where they are.
  bool nothingMoves() const { return cut_.segments() == 1 && slicePieces_ == ownPieces_; }

  // The same block in the other list: where what stays on this rank comes from, or goes.
  static const Block& twin(const std::vector<Block>& blocks, const Block& block) {
    return *std::find_if(blocks.begin(), blocks.end(), [&block](const Block& other) {
      return other.segment == block.segment && other.piece == block.piece;
    });
  }

  void layOutTiles() {
    tiles_.resize(static_cast<std::size_t>(segments_));
    for (const Block& block : incoming_) {
      TileSlice<Types>& tile = tiles_[block.segment - firstSegment_];
      tile.firstRow.push_back(tile.rows() + rows_.pieces()[block.piece].count);
      tile.firstEntry.push_back(tile.entries() + block.entries);
    }
    std::size_t next = 0;
    for (auto& tile : tiles_) {
      tile.rowLengths = allocate<typename Types::Ordinals>("Trident::convert::tile::rowLengths", tile.rows());
      const auto columns =
          allocate<typename Types::Ordinals>("Trident::convert::tile::columns", tile.entries());
      const auto values = allocate<typename Types::Values>("Trident::convert::tile::values", tile.entries());
      tile.columns = columns;
      tile.values = values;
      for (std::size_t p = 0; p + 1 < tile.firstRow.size(); ++p, ++next) {
        incoming_[next].rowLengths = tile.rowLengths.data() + tile.firstRow[p];
        incoming_[next].columns = columns.data() + tile.firstEntry[p];
        incoming_[next].values = values.data() + tile.firstEntry[p];
      }
    }
  }

  TileSlice<Types> viewOf(const LocalRows<Types>& local) {
    TileSlice<Types> tile;
    for (const Block& block : incoming_) {
      tile.firstRow.push_back(tile.rows() + rows_.pieces()[block.piece].count);
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
    detail::offsetsOf<Types>(lengths_, block.segment, rows_.pieces()[block.piece], next);
  }
  Kokkos::deep_copy(to, hostTo);
  for (std::size_t p = 0; p < ownPieces_.size(); ++p)
    detail::packPiece<Types>(local, places_, rows_.pieces()[ownPieces_[p]], static_cast<int>(p), next, to);
}

// Gives every outgoing block its arrays; the row lengths of one that stays are copied at once.
template <class Types>
void Converter<Types>::placeOutgoing() {
  std::int64_t sent = 0;
  for (const Block& block : outgoing_)
    if (block.rank != self()) sent += block.entries;
  sentColumns_ = allocate<typename Types::Ordinals>("Trident::convert::sentColumns", sent);
  sentValues_ = allocate<typename Types::Values>("Trident::convert::sentValues", sent);
  std::int64_t next = 0;
  for (Block& block : outgoing_) {
    const Piece& piece = rows_.pieces()[block.piece];
    block.rowLengths =
        lengths_.data() + block.segment * static_cast<std::int64_t>(lengths_.extent(1)) + piece.firstLocal;
    if (block.rank != self()) {
      block.columns = sentColumns_.data() + next;
      block.values = sentValues_.data() + next;
      next += block.entries;
      continue;
    }
    const Block& place = twin(incoming_, block);
    using Run = Kokkos::View<Ordinal*, typename Types::device_type, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(Run(place.rowLengths, static_cast<std::size_t>(piece.count)),
                      Run(block.rowLengths, static_cast<std::size_t>(piece.count)));
    block.columns = place.columns;
    block.values = place.values;
  }
}

template <class Types>
void Converter<Types>::exchangeBlocks() {
  Channel::Requests requests;
  const auto message = [this](const Block& block) {
    return RowMessage{block.rank, phase_, rows_.pieces()[block.piece].count, block.entries};
  };
  for (const Block& block : incoming_) {
    if (block.rank == self()) continue;
    receiveRows<Types>(channel_, {block.rowLengths, block.columns, block.values}, message(block), requests);
    channel_.countTile(block.rank, phase_, message(block).rows, block.entries);
  }
  for (const Block& block : outgoing_)
    if (block.rank != self())
      sendRows<Types>(channel_, {block.rowLengths, block.columns, block.values}, message(block), requests);
  Channel::wait(requests);
}

}  // namespace Trident

#endif
