#ifndef TRIDENT_INDEX_SPACE_HPP
#define TRIDENT_INDEX_SPACE_HPP

#include <cstdint>
#include <vector>

#include "layout/Trident_Strips.hpp"
#include "topology/Trident_NodeGrid.hpp"
#include "topology/Trident_Topology.hpp"

namespace Trident {

/// In what order the indices inside a base block are numbered.
///
/// bySlice: strip, node, local index, so that a slice of a base block is one run (rows, and the inner
/// dimension). byRank: node, rank in the node, local index, so that numbers ascend with the owner (columns).
enum class BlockOrder { bySlice, byRank };

/// A run of indices that one rank owns and that no cut divides.
struct Piece {
  int rank;                 ///< 1D owner
  std::int64_t firstLocal;  ///< its first local index there
  std::int64_t count;
  std::int64_t start;  ///< number of its first index in the space
  int block;           ///< base block
  int strip;
};

/// One dimension of a product (rows of A and C, inner, columns of B and C), numbered 0 <= id < size() so that
/// base blocks are runs of ids. Any Tpetra map fits: only how many indices each rank owns enters, and an
/// index is named by its owner and its local index there.
///
/// The same on every rank; O(P) memory.
class IndexSpace {
 public:
  /// `localCounts[r]` is the number of indices that rank r owns.
  IndexSpace(const Topology& topology, const NodeGrid& grid, const std::vector<std::int64_t>& localCounts,
             BlockOrder order);

  std::int64_t size() const { return blockStart_.back(); }

  /// First id of a base block, 0 <= block <= Q.
  std::int64_t blockStart(int block) const { return blockStart_[block]; }

  /// First id of column block j of the grid, 0 <= j <= p_c.
  std::int64_t columnBlockStart(int j) const { return blockStart_[j * (grid_.rounds() / grid_.cols)]; }

  /// All pieces, by id.
  const std::vector<Piece>& pieces() const { return pieces_; }

  /// Indices into pieces() of one rank's pieces, by local index.
  const std::vector<int>& piecesOf(int rank) const { return piecesOf_[rank]; }

  /// The piece that holds an id.
  const Piece& pieceAt(std::int64_t id) const;

  /// Pieces (indices into pieces(), by id) of slice k of row block i on a node that has `ranks` ranks.
  std::vector<int> slicePieces(int rowBlock, int ranks, int slice) const;

  /// Rank that holds a piece when its row block is a tile of node `node`.
  int holder(const Piece& piece, int node) const;

 private:
  NodeGrid grid_;
  const Topology* topology_;
  Strips strips_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<int>> piecesOf_;
  std::vector<std::int64_t> blockStart_;
};

}  // namespace Trident

#endif
