#ifndef TRIDENT_FETCH_SCHEDULE_HPP
#define TRIDENT_FETCH_SCHEDULE_HPP

#include <cstdint>
#include <vector>

#include "layout/Trident_IndexSpace.hpp"
#include "plan/Trident_Plan.hpp"
#include "topology/Trident_NodeGrid.hpp"
#include "topology/Trident_Topology.hpp"

namespace Trident {

/// Rows that go from the rank that holds them to the rank that multiplies them, in one round.
struct Fetch {
  int round;       ///< of the node, over all panels
  int baseBlock;   ///< r
  int from;        ///< holder's rank
  int to;          ///< consumer's rank
  int firstPiece;  ///< the rows are those of pieces [firstPiece, lastPiece) of what the holder has: its slice
  int lastPiece;   ///< of a tile, or its own rows
  std::int64_t rows;
  std::int64_t firstId = 0;  ///< of B: inner id of the first of the pieces' rows
  std::int64_t entries = 0;  ///< known when the row lengths are
  int panel = 0;             ///< of B
};

/// The part of B(r,j) that one rank holds.
struct Part {
  int holder;    ///< rank
  int receiver;  ///< slice number, on the consumer's node, of the rank that brings it
  bool atHome;   ///< the holder is on the consumer's node, and is the receiver
  Fetch run;     ///< the rows; consumer and round are left open
};

/// Where the operands of the rounds lie: both assembled into tiles, or each in the rows of its 1D owners.
struct Holding {
  TileSource A = TileSource::tiles;
  TileSource B = TileSource::tiles;
};

/// Who sends which rows to whom in which round, for one product: static Cannon (paper, Algorithm 1), worked
/// out by every rank for itself. Pure: nothing is communicated.
///
/// Operands held by their owners must be numbered so that what a rank owns of a base block is one run of ids
/// (BlockOrder::byRank for the inner dimension, if B is).
class FetchSchedule {
 public:
  FetchSchedule(const Topology& topology, const NodeGrid& grid, const IndexSpace& rows,
                const IndexSpace& inner, const Holding& holding);

  /// What a rank needs of A, by round and row: from other ranks, and from itself (from == to) if owners hold
  /// A. Tiles that its node holds are left out, and everything on a grid of one column, where A is at home.
  std::vector<Fetch> receivesOfA(int rank) const;

  /// What a rank receives of B from other nodes, by round and row.
  std::vector<Fetch> receivesOfB(int rank) const;

  /// What a rank sends to other ranks, by the round in which the consumer needs it.
  std::vector<Fetch> sendsOfA(int rank) const;
  std::vector<Fetch> sendsOfB(int rank) const;

  /// The parts of B(r,j) on a node, in row order.
  std::vector<Part> partsOfB(int node, int baseBlock) const;

 private:
  std::vector<int> holdersOfB(int baseBlock, int column) const;
  Fetch runOfB(int baseBlock, int holderNode, int slice) const;
  int holderOfA(int piece, int baseBlock) const;
  std::vector<int> piecesHeldOfA(int rank) const;
  int roundOf(int baseBlock, int node) const;
  int receiverOf(int slice, int holderNode, int node) const;
  void appendRuns(const std::vector<int>& pieces, int round, int to, std::vector<Fetch>& out) const;

  const Topology& topology_;
  NodeGrid grid_;
  const IndexSpace& rows_;
  const IndexSpace& inner_;
  Holding holding_;
};

}  // namespace Trident

#endif
