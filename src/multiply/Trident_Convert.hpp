#ifndef TRIDENT_CONVERT_HPP
#define TRIDENT_CONVERT_HPP

#include <algorithm>
#include <map>
#include <vector>

#include "exchange/Trident_Counts.hpp"
#include "layout/Trident_IndexSpace.hpp"
#include "layout/Trident_Tile.hpp"

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

  /// One slice for each segment of this rank's node, in the order of the segments. `local` must stay as it is
  /// while the result is in use: where nothing moves, the result looks into it.
  std::vector<TileSlice<Types>> convert(const LocalRows<Types>& local) {
    classifyColumns(local);
    countEntries(local);
    exchangeEntries();
    auto tiles = layOutTiles(local);
    if (!nothingMoves()) {
      pack(local);
      exchangeBlocks();
    }
    return tiles;
  }

  /// Entries of this rank's rows by segment; known after convert().
  std::vector<std::int64_t> entriesBySegment() const {
    std::vector<std::int64_t> entries(static_cast<std::size_t>(cut_.segments()), 0);
    for (const Block& block : outgoing_) entries[block.segment] += block.entries;
    return entries;
  }

 private:
  using Ordinal = typename Types::ordinal_type;
  using Scalar = typename Types::scalar_type;
  using Range = typename Types::Range;
  using Device = typename Types::device_type;
  using Lengths = Kokkos::View<Ordinal**, Kokkos::LayoutRight, Device>;
  using Offsets2D = Kokkos::View<std::size_t**, Kokkos::LayoutRight, Device>;
  struct Destination {
    Ordinal* columns;
    Scalar* values;
  };
  using Destinations = Kokkos::View<Destination**, Kokkos::LayoutRight, Device>;

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

  void classifyColumns(const LocalRows<Types>& local) {
    const auto columns = static_cast<std::int64_t>(local.columnIds.extent(0));
    segmentOf_ = allocate<typename Types::Ordinals>("Trident::convert::segmentOf", columns);
    columnInSegment_ = allocate<typename Types::Ordinals>("Trident::convert::columnInSegment", columns);
    const auto hostStart = Kokkos::View<const std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
        cut_.start.data(), cut_.start.size());
    auto start = allocate<typename Types::Ids>("Trident::convert::start",
                                               static_cast<std::int64_t>(cut_.start.size()));
    Kokkos::deep_copy(start, hostStart);
    const auto ids = local.columnIds;
    const auto segmentOf = segmentOf_;
    const auto columnInSegment = columnInSegment_;
    const int segments = cut_.segments();
    std::int64_t moved = 0;
    Kokkos::parallel_reduce(
        "Trident::convert::classifyColumns", Range(0, columns),
        KOKKOS_LAMBDA(const std::int64_t c, std::int64_t& sum) {
          int low = 0;
          int high = segments;
          while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (start(middle) <= ids(c))
              low = middle;
            else
              high = middle;
          }
          segmentOf(c) = static_cast<Ordinal>(low);
          columnInSegment(c) = static_cast<Ordinal>(ids(c) - start(low));
          if (columnInSegment(c) != c) ++sum;
        },
        moved);
    columnsStay_ = moved == 0;
  }

  void countEntries(const LocalRows<Types>& local) {
    const std::int64_t m = local.rows();
    lengths_ = Lengths("Trident::convert::lengths", static_cast<std::size_t>(cut_.segments()),
                       static_cast<std::size_t>(m));
    const auto lengths = lengths_;
    const auto segmentOf = segmentOf_;
    Kokkos::parallel_for(
        "Trident::convert::count", Range(0, m), KOKKOS_LAMBDA(const std::int64_t i) {
          for (std::size_t e = local.rowPtr(i); e < local.rowPtr(i + 1); ++e)
            ++lengths(segmentOf(local.columns(e)), i);
        });
    for (Block& block : outgoing_) {
      const Piece& piece = rows_.pieces()[block.piece];
      const int segment = block.segment;
      Kokkos::parallel_reduce(
          "Trident::convert::blockEntries", Range(piece.firstLocal, piece.firstLocal + piece.count),
          KOKKOS_LAMBDA(const std::int64_t i, std::int64_t& sum) { sum += lengths(segment, i); },
          block.entries);
    }
  }

  // Both sides list what passes between them by segment and piece.
  void exchangeEntries() {
    CountsByRank told, heard;
    for (const Block& block : outgoing_)
      if (block.rank != self()) told[block.rank].push_back(block.entries);
    for (const Block& block : incoming_)
      if (block.rank != self()) heard[block.rank].push_back(0);
    exchangeCounts(channel_, phase_, told, heard);
    std::map<int, std::size_t> next;
    for (Block& block : incoming_)
      block.entries =
          block.rank == self() ? twin(outgoing_, block).entries : heard[block.rank][next[block.rank]++];
  }

  // The same block in the other list: where what stays on this rank comes from, or goes.
  static const Block& twin(const std::vector<Block>& blocks, const Block& block) {
    return *std::find_if(blocks.begin(), blocks.end(), [&block](const Block& other) {
      return other.segment == block.segment && other.piece == block.piece;
    });
  }

  std::vector<TileSlice<Types>> layOutTiles(const LocalRows<Types>& local) {
    std::vector<TileSlice<Types>> tiles(static_cast<std::size_t>(segments_));
    if (nothingMoves()) {
      tiles[0] = viewOf(local);
      return tiles;
    }
    for (const Block& block : incoming_) {
      TileSlice<Types>& tile = tiles[block.segment - firstSegment_];
      tile.firstRow.push_back(tile.rows() + rows_.pieces()[block.piece].count);
      tile.firstEntry.push_back(tile.entries() + block.entries);
    }
    std::size_t next = 0;
    for (auto& tile : tiles) {
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
    return tiles;
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
    if (columnsStay_) return tile;
    const auto columns =
        allocate<typename Types::Ordinals>("Trident::convert::tile::columns", tile.entries());
    const auto columnInSegment = columnInSegment_;
    Kokkos::parallel_for(
        "Trident::convert::renumber", Range(0, tile.entries()),
        KOKKOS_LAMBDA(const std::int64_t e) { columns(e) = columnInSegment(local.columns(e)); });
    tile.columns = columns;
    return tile;
  }

  void pack(const LocalRows<Types>& local);
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
  int segments_ = 0;
  int firstSegment_ = 0;
  bool columnsStay_ = false;
  typename Types::Ordinals segmentOf_;
  typename Types::Ordinals columnInSegment_;
  Lengths lengths_;
  typename Types::Ordinals sentColumns_;
  typename Types::Values sentValues_;
};

// Writes each block where it belongs: into the tile if the block stays on this rank, into the send buffer
// otherwise.
template <class Types>
void Converter<Types>::pack(const LocalRows<Types>& local) {
  placeOutgoing();
  const auto pieces = static_cast<int>(ownPieces_.size());
  Destinations to("Trident::convert::destinations", cut_.segments(), pieces);
  const auto hostTo = Kokkos::create_mirror_view(to);
  const Offsets2D next("Trident::convert::next", cut_.segments(), static_cast<std::size_t>(local.rows()));
  const auto lengths = lengths_;
  for (std::size_t b = 0; b < outgoing_.size(); ++b) {
    const Block& block = outgoing_[b];
    hostTo(block.segment, b % ownPieces_.size()) = {block.columns, block.values};
    const Piece& piece = rows_.pieces()[block.piece];
    const int s = block.segment;
    Kokkos::parallel_scan(
        "Trident::convert::offsets", Range(piece.firstLocal, piece.firstLocal + piece.count),
        KOKKOS_LAMBDA(const std::int64_t i, std::size_t& sum, const bool last) {
          if (last) next(s, i) = sum;
          sum += static_cast<std::size_t>(lengths(s, i));
        });
  }
  Kokkos::deep_copy(to, hostTo);

  const auto segmentOf = segmentOf_;
  const auto columnInSegment = columnInSegment_;
  for (int p = 0; p < pieces; ++p) {
    const Piece& piece = rows_.pieces()[ownPieces_[p]];
    Kokkos::parallel_for(
        "Trident::convert::pack", Range(piece.firstLocal, piece.firstLocal + piece.count),
        KOKKOS_LAMBDA(const std::int64_t i) {
          for (std::size_t e = local.rowPtr(i); e < local.rowPtr(i + 1); ++e) {
            const Ordinal c = local.columns(e);
            const Ordinal s = segmentOf(c);
            const std::size_t at = next(s, i)++;
            to(s, p).columns[at] = columnInSegment(c);
            to(s, p).values[at] = local.values(e);
          }
        });
  }
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
  for (const Block& block : incoming_) {
    if (block.rank == self()) continue;
    const std::int64_t count = rows_.pieces()[block.piece].count;
    channel_.receive(block.rowLengths, count, sizeof(Ordinal), {block.rank, phase_, Kind::pointers},
                     requests);
    channel_.receive(block.columns, block.entries, sizeof(Ordinal), {block.rank, phase_, Kind::indices},
                     requests);
    channel_.receive(block.values, block.entries, sizeof(Scalar), {block.rank, phase_, Kind::values},
                     requests);
    channel_.countTile(block.rank, phase_, count, block.entries);
  }
  for (const Block& block : outgoing_) {
    if (block.rank == self()) continue;
    const std::int64_t count = rows_.pieces()[block.piece].count;
    channel_.send(block.rowLengths, count, sizeof(Ordinal), {block.rank, phase_, Kind::pointers}, requests);
    channel_.send(block.columns, block.entries, sizeof(Ordinal), {block.rank, phase_, Kind::indices},
                  requests);
    channel_.send(block.values, block.entries, sizeof(Scalar), {block.rank, phase_, Kind::values}, requests);
  }
  Channel::wait(requests);
}

}  // namespace Trident

#endif
