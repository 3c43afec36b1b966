#ifndef TRIDENT_MAP_BACK_HPP
#define TRIDENT_MAP_BACK_HPP

#include <algorithm>
#include <vector>

#include "exchange/Trident_RowMessages.hpp"
#include "exchange/detail/Trident_PackRows.hpp"
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
  typename Types::Offsets rowEnd = {};  ///< as in CsrRows

  std::int64_t rows() const {
    return rowPtr.extent(0) == 0 ? 0 : static_cast<std::int64_t>(rowPtr.extent(0)) - 1;
  }
  std::size_t endOf(std::int64_t row) const { return rowEnd.extent(0) > 0 ? rowEnd(row) : rowPtr(row + 1); }

  std::int64_t entries() const {
    if (rowEnd.extent(0) == 0) return static_cast<std::int64_t>(columns.extent(0));
    std::size_t count = 0;
    for (std::int64_t row = 0; row < rows(); ++row) count += rowEnd(row) - rowPtr(row);
    return static_cast<std::int64_t>(count);
  }
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
        incoming_.push_back({j, piece, rows.holder(rows.pieces()[piece], grid.node(grid.row(node), j))});
    for (const int piece : slicePieces_)
      outgoing_.push_back({grid.col(node), piece, rows.pieces()[piece].rank});
  }

  // Four steps, in this order, local ones and exchanges in turn, as in Converter.

  /// Counts what goes where. `C` is this rank's slice of its node's tile; where it moves, its rows do not lie
  /// apart. Local.
  void count(const CsrRows<Types>& C) {
    if (nothingMoves()) return;
    const auto rowPtr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C.rowPtr);
    std::int64_t row = 0;
    for (Block& block : outgoing_) {
      block.firstRow = row;
      block.firstEntry = static_cast<std::int64_t>(rowPtr(row));
      row += countOf(block);
      block.entries = static_cast<std::int64_t>(rowPtr(row)) - block.firstEntry;
    }
    lengths_ = rowLengths<Types>(C.rowPtr);
    for (Block& block : incoming_) block.firstRow = rows_.pieces()[block.piece].firstLocal;
    std::int64_t rows = 0;
    for (const int piece : ownPieces_) rows += rows_.pieces()[piece].count;
    for (int j = 0; j < grid_.cols; ++j)
      lengthsOfBlocks_.push_back(allocate<typename Types::Ordinals>("Trident::mapBack::rowLengths", rows));
  }

  /// Sends the owners their rows' lengths, and hears the same.
  void exchangeLengths() {
    if (nothingMoves()) return;
    Channel::Requests requests;
    for (const Block& from : incoming_)
      if (from.rank != self())
        receiveLengths<Types>(channel_, lengthsOfBlocks_[from.column].data() + from.firstRow, messageOf(from),
                              requests);
    for (const Block& to : outgoing_)
      if (to.rank != self())
        sendLengths<Types>(channel_, lengths_.data() + to.firstRow, messageOf(to), requests);
    Channel::wait(requests);
    for (Block& from : incoming_) {
      const auto& lengths = lengthsOfBlocks_[from.column];
      if (from.rank == self())
        copyRun(lengths_, outgoingTwin(from).firstRow, lengths, from.firstRow, countOf(from));
      const auto rows = std::make_pair(from.firstRow, from.firstRow + countOf(from));
      from.entries = detail::sumOf<Types>(Kokkos::subview(lengths, rows));
    }
  }

  /// Allocates the p_c column blocks of this rank's rows. Local.
  void layOut(const CsrRows<Types>& C, const IndexSpace& columns) {
    auto incoming = incoming_.begin();
    for (int j = 0; j < grid_.cols; ++j) {
      const std::int64_t firstColumn = columns.columnBlockStart(j);
      blocks_.push_back({firstColumn, columns.columnBlockStart(j + 1) - firstColumn, {}, {}, {}});
      if (nothingMoves()) break;
      std::int64_t entries = 0;
      for (std::size_t p = 0; p < ownPieces_.size(); ++p, ++incoming) {
        incoming->firstEntry = entries;
        entries += incoming->entries;
      }
      blocks_.back().columns = allocate<typename Types::Ordinals>("Trident::mapBack::columns", entries);
      blocks_.back().values = allocate<typename Types::Values>("Trident::mapBack::values", entries);
    }
    if (!nothingMoves()) return;
    blocks_[0].rowPtr = C.rowPtr;
    blocks_[0].columns = C.columns;
    blocks_[0].values = C.values;
    blocks_[0].rowEnd = C.rowEnd;
  }

  /// Moves the rows. This rank's rows of C in p_c column blocks.
  std::vector<BlockOfRows<Types>> exchangeRows(const CsrRows<Types>& C) {
    if (nothingMoves()) return std::move(blocks_);
    Channel::Requests requests;
    for (const Block& from : incoming_) bring(from, C, requests);
    for (const Block& to : outgoing_)
      if (to.rank != self()) sendTo(to, C, requests);
    Channel::wait(requests);
    for (std::size_t j = 0; j < blocks_.size(); ++j)
      blocks_[j].rowPtr = rowPointers<Types>(lengthsOfBlocks_[j]);
    return std::move(blocks_);
  }

 private:
  // One piece's rows in one column block.
  struct Block {
    int column;
    int piece;
    int rank;  // where it goes, or comes from

    // In the slice of C if it goes, in the block of rows if it comes.
    std::int64_t firstRow = 0;
    std::int64_t firstEntry = 0;
    std::int64_t entries = 0;
  };

  int self() const { return channel_.context().rank(); }
  std::int64_t countOf(const Block& block) const { return rows_.pieces()[block.piece].count; }

  // One column of nodes, and this rank's slice is exactly its own rows: C is at home.
  bool nothingMoves() const { return grid_.cols == 1 && slicePieces_ == ownPieces_; }

  RowMessage messageOf(const Block& block) const {
    return {block.rank, Phase::mapBackC, countOf(block), block.entries};
  }

  const Block& outgoingTwin(const Block& block) const {
    return *std::find_if(outgoing_.begin(), outgoing_.end(),
                         [&block](const Block& other) { return other.piece == block.piece; });
  }

  // Receives one block, or copies it if this rank computed it itself.
  void bring(const Block& from, const CsrRows<Types>& C, Channel::Requests& requests) {
    const BlockOfRows<Types>& to = blocks_[from.column];
    if (from.rank == self()) {
      const Block& here = outgoingTwin(from);
      copyRun(C.columns, here.firstEntry, to.columns, from.firstEntry, from.entries);
      copyRun(C.values, here.firstEntry, to.values, from.firstEntry, from.entries);
      return;
    }
    receiveEntries<Types>(channel_, {to.columns.data() + from.firstEntry, to.values.data() + from.firstEntry},
                          messageOf(from), requests);
    channel_.countTile(from.rank, Phase::mapBackC, countOf(from), from.entries);
  }

  void sendTo(const Block& to, const CsrRows<Types>& C, Channel::Requests& requests) {
    sendEntries<Types>(channel_, {C.columns.data() + to.firstEntry, C.values.data() + to.firstEntry},
                       messageOf(to), requests);
  }

  Channel& channel_;
  NodeGrid grid_;
  const IndexSpace& rows_;
  std::vector<int> ownPieces_;
  std::vector<int> slicePieces_;
  std::vector<Block> incoming_;       // by column block and own piece
  std::vector<Block> outgoing_;       // by piece of the slice
  typename Types::Ordinals lengths_;  // of the slice of C
  std::vector<typename Types::Ordinals> lengthsOfBlocks_;
  std::vector<BlockOfRows<Types>> blocks_;
};

}  // namespace Trident

#endif
