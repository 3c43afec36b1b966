#ifndef TRIDENT_FETCH_SCHEDULE_HPP
#define TRIDENT_FETCH_SCHEDULE_HPP

#include <cstdint>
#include <vector>

#include "layout/Trident_IndexSpace.hpp"
#include "topology/Trident_NodeGrid.hpp"
#include "topology/Trident_Topology.hpp"

namespace Trident {

/// Rows of one slice of a tile that go from the rank that holds them to a rank of another node in one round.
struct Fetch {
  int round;
  int baseBlock;   ///< r
  int from;        ///< owner's rank
  int to;          ///< consumer's rank
  int firstPiece;  ///< the rows are those of pieces [firstPiece, lastPiece) of the owner's slice
  int lastPiece;
  std::int64_t rows;
  std::int64_t firstId = 0;     ///< of B: inner id of the first of the pieces' rows
  std::int64_t entries = 0;     ///< known to the owner; announced to the consumer
  std::int64_t filledRows = 0;  ///< rows that are not empty: all of a whole tile's count; announced too
};

/// The part of B(r,j) that comes from one slice of the tile's owner node.
struct Part {
  int ownerSlice;
  int receiver;  ///< slice number, on the consumer's node, of the rank that receives it
  std::int64_t rows;
};

/// Who sends which rows to whom in which round, for one product: static Cannon (paper, Algorithm 1), worked
/// out by every rank for itself. Pure: nothing is communicated.
class FetchSchedule {
 public:
  FetchSchedule(const Topology& topology, const NodeGrid& grid, const IndexSpace& rows,
                const IndexSpace& inner);

  /// What a rank receives, by round.
  std::vector<Fetch> receivesOfA(int rank) const;
  std::vector<Fetch> receivesOfB(int rank) const;

  /// What a rank sends, by the round in which the consumer needs it.
  std::vector<Fetch> sendsOfA(int rank) const;
  std::vector<Fetch> sendsOfB(int rank) const;

  /// The parts of B(r,j) on a node, in row order.
  std::vector<Part> partsOfB(int node, int baseBlock) const;

  /// The rows of base block r in one slice of the tile of B that holds them on `ownerNode`; consumer and
  /// round are left open.
  Fetch sliceOfB(int baseBlock, int ownerNode, int ownerSlice) const;

 private:
  int roundOf(int baseBlock, int node) const;
  int receiverOf(int ownerSlice, int ownerNode, int node) const;
  void appendRuns(const std::vector<int>& pieces, int round, int ownerNode, int to,
                  std::vector<Fetch>& out) const;

  const Topology& topology_;
  NodeGrid grid_;
  const IndexSpace& rows_;
  const IndexSpace& inner_;
};

}  // namespace Trident

#endif
