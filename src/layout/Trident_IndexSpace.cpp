#include "layout/Trident_IndexSpace.hpp"

#include <algorithm>
#include <tuple>

namespace Trident {
namespace {

// The pieces of one rank, numbers not yet given.
void appendPieces(const Topology& topology, const Strips& strips, int rank, int block, std::int64_t rows,
                  std::vector<Piece>& pieces) {
  const int ranks = topology.ranksOn(topology.nodeOf(rank));
  const int slice = topology.sliceOf(rank);
  const auto first = pieces.size();
  for (int strip = 0; strip < strips.count(); ++strip)
    if (strips.sliceOf(strip, ranks) == slice)
      pieces.push_back(Piece{rank, strips.firstRow(strip, slice, ranks, rows), 0, 0, block, strip});
  for (auto p = first; p < pieces.size(); ++p)
    pieces[p].count = (p + 1 < pieces.size() ? pieces[p + 1].firstLocal : rows) - pieces[p].firstLocal;
}

}  // namespace

IndexSpace::IndexSpace(const Topology& topology, const NodeGrid& grid,
                       const std::vector<std::int64_t>& localCounts, BlockOrder order)
    : grid_(grid), topology_(&topology), strips_(topology), piecesOf_(localCounts.size()) {
  for (int node = 0; node < topology.nodes(); ++node)
    for (int k = 0; k < topology.ranksOn(node); ++k) {
      const int rank = topology.rankAt(node, k);
      appendPieces(topology, strips_, rank, grid.baseBlock(node), localCounts[rank], pieces_);
    }
  // Pieces now lie by node, rank and strip: what byRank wants inside a block, blocks ascend with the nodes.
  if (order == BlockOrder::bySlice)
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
      return std::tie(a.block, a.strip) < std::tie(b.block, b.strip);
    });

  blockStart_.assign(static_cast<std::size_t>(grid.rounds()) + 1, 0);
  std::int64_t next = 0;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    pieces_[p].start = next;
    next += pieces_[p].count;
    piecesOf_[pieces_[p].rank].push_back(static_cast<int>(p));
    blockStart_[static_cast<std::size_t>(pieces_[p].block) + 1] = next;
  }
  for (std::size_t b = 1; b < blockStart_.size(); ++b)
    blockStart_[b] = std::max(blockStart_[b], blockStart_[b - 1]);
  for (auto& own : piecesOf_)
    std::stable_sort(own.begin(), own.end(),
                     [this](int a, int b) { return pieces_[a].firstLocal < pieces_[b].firstLocal; });
}

const Piece& IndexSpace::pieceAt(std::int64_t id) const {
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), id,
                                      [](std::int64_t value, const Piece& p) { return value < p.start; });
  auto piece = after - 1;
  while (piece->count == 0) --piece;
  return *piece;
}

std::vector<int> IndexSpace::slicePieces(int rowBlock, int ranks, int slice) const {
  const auto before = [this](const Piece& piece, int block) { return grid_.rowBlock(piece.block) < block; };
  const auto first = std::lower_bound(pieces_.begin(), pieces_.end(), rowBlock, before);
  const auto last = std::lower_bound(first, pieces_.end(), rowBlock + 1, before);
  std::vector<int> found;
  for (auto piece = first; piece != last; ++piece)
    if (strips_.sliceOf(piece->strip, ranks) == slice)
      found.push_back(static_cast<int>(piece - pieces_.begin()));
  return found;
}

int IndexSpace::holder(const Piece& piece, int node) const {
  return topology_->rankAt(node, strips_.sliceOf(piece.strip, topology_->ranksOn(node)));
}

}  // namespace Trident
