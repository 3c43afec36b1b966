#ifndef TRIDENT_MAP_BACK_HPP
#define TRIDENT_MAP_BACK_HPP

#include <algorithm>
#include <map>
#include <vector>

#include "exchange/Trident_Counts.hpp"
#include "layout/Trident_IndexSpace.hpp"
#include "layout/Trident_Tile.hpp"

namespace Trident {

/// This rank's rows of C in one column block; columns count from the block's first id. Rows in local order,
/// columns of a row ascending.
template <class Types>
struct BlockOfRows {
  std::int64_t firstColumn;  ///< id of the block's first column
  std::int64_t width;
  typename Types::Offsets rowPtr;
  typename Types::Ordinals columns;
  typename Types::Values values;
};

/// Returns C to its 1D rows: the rank that computed a slice of C(i,j) sends each owner its rows, and each
/// owner puts the p_c column blocks of its rows side by side (DESIGN, section 2, "map back").
template <class Types>
class MapBack {
 public:
  MapBack(Channel& channel, const NodeGrid& grid, const IndexSpace& rows)
      : channel_(channel), grid_(grid), rows_(rows), ownPieces_(rows.piecesOf(channel.context().rank())) {
    const Context& context = channel.context();
    const int node = context.node();
    slicePieces_ = rows.slicePieces(grid.row(node), context.topology().ranksOn(node), context.slice());
    for (int j = 0; j < grid.cols; ++j)
      for (const int piece : ownPieces_)
        incoming_.push_back(
            {j, piece, rows.holder(rows.pieces()[piece], grid.node(grid.row(node), j)), 0, 0});
    for (const int piece : slicePieces_)
      outgoing_.push_back({grid.col(node), piece, rows.pieces()[piece].rank, 0, 0});
  }

  /// The p_c column blocks of this rank's rows. `C` is this rank's slice of its node's tile.
  std::vector<BlockOfRows<Types>> mapBack(const CsrRows<Types>& C, const IndexSpace& columns) {
    std::vector<BlockOfRows<Types>> blocks;
    for (int j = 0; j < grid_.cols; ++j)
      blocks.push_back({columns.columnBlockStart(j),
                        columns.columnBlockStart(j + 1) - columns.columnBlockStart(j),
                        {},
                        {},
                        {}});
    if (grid_.cols == 1 && slicePieces_ == ownPieces_) {
      blocks[0].rowPtr = C.rowPtr;
      blocks[0].columns = C.columns;
      blocks[0].values = C.values;
      return blocks;
    }
    measureOutgoing(C);
    exchangeEntries();
    receiveAndSend(C, blocks);
    return blocks;
  }

 private:
  using Ordinal = typename Types::ordinal_type;
  using Scalar = typename Types::scalar_type;

  // One piece's rows in one column block.
  struct Block {
    int column;
    int piece;
    int rank;                 // where it goes, or comes from
    std::int64_t firstEntry;  // in the slice of C if it goes, in the block of rows if it comes
    std::int64_t entries;
  };

  int self() const { return channel_.context().rank(); }
  std::int64_t countOf(const Block& block) const { return rows_.pieces()[block.piece].count; }

  void measureOutgoing(const CsrRows<Types>& C) {
    const auto rowPtr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C.rowPtr);
    std::int64_t row = 0;
    for (Block& block : outgoing_) {
      block.firstEntry = static_cast<std::int64_t>(rowPtr(row));
      row += countOf(block);
      block.entries = static_cast<std::int64_t>(rowPtr(row)) - block.firstEntry;
    }
    lengths_ = rowLengths<Types>(C.rowPtr);
  }

  void exchangeEntries() {
    CountsByRank told, heard;
    for (const Block& block : outgoing_)
      if (block.rank != self()) told[block.rank].push_back(block.entries);
    for (const Block& block : incoming_)
      if (block.rank != self()) heard[block.rank].push_back(0);
    exchangeCounts(channel_, Phase::mapBackC, told, heard);
    std::map<int, std::size_t> next;
    for (Block& block : incoming_)
      block.entries =
          block.rank == self() ? outgoingTwin(block).entries : heard[block.rank][next[block.rank]++];
  }

  static Route routeOf(int rank, Kind kind) { return {rank, Phase::mapBackC, kind}; }

  const Block& outgoingTwin(const Block& block) const {
    return *std::find_if(outgoing_.begin(), outgoing_.end(),
                         [&block](const Block& other) { return other.piece == block.piece; });
  }

  void receiveAndSend(const CsrRows<Types>& C, std::vector<BlockOfRows<Types>>& blocks) {
    std::vector<typename Types::Ordinals> lengths;
    Channel::Requests requests;
    auto incoming = incoming_.begin();
    for (auto& block : blocks) {
      const auto first = incoming;
      std::int64_t rows = 0;
      std::int64_t entries = 0;
      for (std::size_t p = 0; p < ownPieces_.size(); ++p, ++incoming) {
        incoming->firstEntry = entries;
        rows += countOf(*incoming);
        entries += incoming->entries;
      }
      lengths.push_back(allocate<typename Types::Ordinals>("Trident::mapBack::rowLengths", rows));
      block.columns = allocate<typename Types::Ordinals>("Trident::mapBack::columns", entries);
      block.values = allocate<typename Types::Values>("Trident::mapBack::values", entries);
      for (auto from = first; from != incoming; ++from) bring(*from, C, lengths.back(), block, requests);
    }
    for (const Block& to : outgoing_)
      if (to.rank != self()) sendTo(to, C, requests);
    Channel::wait(requests);
    for (std::size_t j = 0; j < blocks.size(); ++j) blocks[j].rowPtr = rowPointers<Types>(lengths[j]);
  }

  // Receives one block, or copies it if this rank computed it itself.
  void bring(const Block& from, const CsrRows<Types>& C, const typename Types::Ordinals& lengths,
             const BlockOfRows<Types>& to, Channel::Requests& requests) {
    const std::int64_t row = rows_.pieces()[from.piece].firstLocal;
    if (from.rank == self()) {
      const Block& here = outgoingTwin(from);
      copyRun(lengths_, rowOf(here), lengths, row, countOf(from));
      copyRun(C.columns, here.firstEntry, to.columns, from.firstEntry, from.entries);
      copyRun(C.values, here.firstEntry, to.values, from.firstEntry, from.entries);
      return;
    }
    channel_.receive(lengths.data() + row, countOf(from), sizeof(Ordinal), routeOf(from.rank, Kind::pointers),
                     requests);
    channel_.receive(to.columns.data() + from.firstEntry, from.entries, sizeof(Ordinal),
                     routeOf(from.rank, Kind::indices), requests);
    channel_.receive(to.values.data() + from.firstEntry, from.entries, sizeof(Scalar),
                     routeOf(from.rank, Kind::values), requests);
    channel_.countTile(from.rank, Phase::mapBackC, countOf(from), from.entries);
  }

  void sendTo(const Block& to, const CsrRows<Types>& C, Channel::Requests& requests) {
    channel_.send(lengths_.data() + rowOf(to), countOf(to), sizeof(Ordinal), routeOf(to.rank, Kind::pointers),
                  requests);
    channel_.send(C.columns.data() + to.firstEntry, to.entries, sizeof(Ordinal),
                  routeOf(to.rank, Kind::indices), requests);
    channel_.send(C.values.data() + to.firstEntry, to.entries, sizeof(Scalar), routeOf(to.rank, Kind::values),
                  requests);
  }

  // First row, in the slice of C, of an outgoing block.
  std::int64_t rowOf(const Block& outgoing) const {
    std::int64_t row = 0;
    for (const Block* block = outgoing_.data(); block != &outgoing; ++block) row += countOf(*block);
    return row;
  }

  template <class From, class To>
  static void copyRun(const From& from, std::int64_t firstFrom, const To& to, std::int64_t firstTo,
                      std::int64_t count) {
    Kokkos::deep_copy(Kokkos::subview(to, std::make_pair(firstTo, firstTo + count)),
                      Kokkos::subview(from, std::make_pair(firstFrom, firstFrom + count)));
  }

  Channel& channel_;
  NodeGrid grid_;
  const IndexSpace& rows_;
  std::vector<int> ownPieces_;
  std::vector<int> slicePieces_;
  std::vector<Block> incoming_;  // by column block and own piece
  std::vector<Block> outgoing_;  // by piece of the slice
  typename Types::Ordinals lengths_;
};

}  // namespace Trident

#endif
