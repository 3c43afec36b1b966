#include "plan/Trident_FetchSchedule.hpp"

#include <algorithm>

namespace Trident {

FetchSchedule::FetchSchedule(const Topology& topology, const NodeGrid& grid, const IndexSpace& rows,
                             const IndexSpace& inner, const Holding& holding)
    : topology_(topology), grid_(grid), rows_(rows), inner_(inner), holding_(holding) {}

int FetchSchedule::holderOfA(int piece, int baseBlock) const {
  const Piece& rows = rows_.pieces()[piece];
  if (holding_.A == TileSource::owners) return rows.rank;
  const int row = grid_.row(topology_.nodeOf(rows.rank));
  return rows_.holder(rows, grid_.node(row, grid_.colBlock(baseBlock)));
}

// Pieces of A that a rank holds, in the order in which it holds them.
std::vector<int> FetchSchedule::piecesHeldOfA(int rank) const {
  if (holding_.A == TileSource::owners) return rows_.piecesOf(rank);
  const int node = topology_.nodeOf(rank);
  return rows_.slicePieces(grid_.row(node), topology_.ranksOn(node), topology_.sliceOf(rank));
}

std::vector<Fetch> FetchSchedule::receivesOfA(int rank) const {
  std::vector<Fetch> fetches;
  if (grid_.cols == 1) return fetches;
  const int node = topology_.nodeOf(rank);
  const int i = grid_.row(node);
  const int j = grid_.col(node);
  const auto pieces = rows_.slicePieces(i, topology_.ranksOn(node), topology_.sliceOf(rank));
  for (int t = 0; t < grid_.rounds(); ++t) {
    const bool own = holding_.A == TileSource::tiles && grid_.colBlock(grid_.stagger(t, i, j)) == j;
    if (!own) appendRuns(pieces, t, rank, fetches);
  }
  return fetches;
}

// Neighbouring pieces travel together as long as their holder has them side by side too. With tiles and the
// same number of ranks on every node that is the whole slice.
void FetchSchedule::appendRuns(const std::vector<int>& pieces, int round, int to,
                               std::vector<Fetch>& out) const {
  const int node = topology_.nodeOf(to);
  const int r = grid_.stagger(round, grid_.row(node), grid_.col(node));
  int holder = -1;
  std::vector<int> held;
  for (const int piece : pieces) {
    const int from = holderOfA(piece, r);
    if (from != holder) {
      holder = from;
      held = piecesHeldOfA(holder);
    }
    const auto at = std::lower_bound(held.begin(), held.end(), piece) - held.begin();
    const auto position = static_cast<int>(at);
    const bool continues = !out.empty() && out.back().round == round && out.back().from == holder &&
                           out.back().lastPiece == position;
    if (!continues) out.push_back(Fetch{round, r, holder, to, position, position, 0});
    out.back().lastPiece = position + 1;
    out.back().rows += rows_.pieces()[piece].count;
  }
}

// Slices are dealt out in order, as evenly as the two nodes' ranks allow.
int FetchSchedule::receiverOf(int slice, int holderNode, int node) const {
  return slice * topology_.ranksOn(node) / topology_.ranksOn(holderNode);
}

// The nodes that hold the rows of a base block, in the order of the rows.
std::vector<int> FetchSchedule::holdersOfB(int baseBlock, int column) const {
  if (holding_.B == TileSource::tiles) return {grid_.node(grid_.rowBlock(baseBlock), column)};
  std::vector<int> nodes;
  for (int j = 0; j < grid_.cols; ++j) {
    const int node = grid_.node(grid_.rowBlock(baseBlock), j);
    if (grid_.baseBlock(node) == baseBlock) nodes.push_back(node);
  }
  return nodes;
}

// The rows of a base block that one rank holds.
Fetch FetchSchedule::runOfB(int baseBlock, int holderNode, int slice) const {
  const int rank = topology_.rankAt(holderNode, slice);
  const auto held = holding_.B == TileSource::owners
                        ? inner_.piecesOf(rank)
                        : inner_.slicePieces(grid_.rowBlock(baseBlock), topology_.ranksOn(holderNode), slice);
  const auto inBlock = [&](int piece) { return inner_.pieces()[piece].block == baseBlock; };
  const auto first = std::find_if(held.begin(), held.end(), inBlock);
  const auto last = std::find_if_not(first, held.end(), inBlock);
  Fetch run{
      0, baseBlock, rank, 0, static_cast<int>(first - held.begin()), static_cast<int>(last - held.begin()),
      0};
  std::for_each(first, last, [&](int piece) { run.rows += inner_.pieces()[piece].count; });
  if (first != last) run.firstId = inner_.pieces()[*first].start;
  return run;
}

std::vector<Part> FetchSchedule::partsOfB(int node, int baseBlock) const {
  std::vector<Part> parts;
  for (const int holderNode : holdersOfB(baseBlock, grid_.col(node)))
    for (int slice = 0; slice < topology_.ranksOn(holderNode); ++slice)
      parts.push_back(Part{topology_.rankAt(holderNode, slice), receiverOf(slice, holderNode, node),
                           holderNode == node, runOfB(baseBlock, holderNode, slice)});
  return parts;
}

std::vector<Fetch> FetchSchedule::receivesOfB(int rank) const {
  const int node = topology_.nodeOf(rank);
  std::vector<Fetch> fetches;
  for (int t = 0; t < grid_.rounds(); ++t)
    for (const Part& part : partsOfB(node, grid_.stagger(t, grid_.row(node), grid_.col(node)))) {
      if (part.atHome || part.receiver != topology_.sliceOf(rank)) continue;
      fetches.push_back(part.run);
      fetches.back().round = t;
      fetches.back().to = rank;
    }
  return fetches;
}

// The round in which a node works on a base block.
int FetchSchedule::roundOf(int baseBlock, int node) const {
  const int rounds = grid_.rounds();
  return ((baseBlock - grid_.row(node) - grid_.col(node)) % rounds + rounds) % rounds;
}

namespace {

void sortByRound(std::vector<Fetch>& fetches) {
  std::stable_sort(fetches.begin(), fetches.end(),
                   [](const Fetch& a, const Fetch& b) { return a.round < b.round; });
}

}  // namespace

std::vector<Fetch> FetchSchedule::sendsOfA(int rank) const {
  std::vector<Fetch> sends;
  if (grid_.cols == 1) return sends;
  const int own = topology_.nodeOf(rank);
  const int i = grid_.row(own);
  for (int j = 0; j < grid_.cols; ++j) {
    const int node = grid_.node(i, j);
    if (node == own) continue;
    for (int k = 0; k < topology_.ranksOn(node); ++k) {
      const auto pieces = rows_.slicePieces(i, topology_.ranksOn(node), k);
      std::vector<Fetch> runs;
      for (int block = 0; block < grid_.rounds(); ++block) {
        const bool holds = std::any_of(pieces.begin(), pieces.end(),
                                       [&](int piece) { return holderOfA(piece, block) == rank; });
        if (holds) appendRuns(pieces, roundOf(block, node), topology_.rankAt(node, k), runs);
      }
      std::copy_if(runs.begin(), runs.end(), std::back_inserter(sends),
                   [rank](const Fetch& fetch) { return fetch.from == rank; });
    }
  }
  sortByRound(sends);
  return sends;
}

// Tiles go to the other nodes of the grid's column, rows of owners to all other nodes.
std::vector<Fetch> FetchSchedule::sendsOfB(int rank) const {
  const int own = topology_.nodeOf(rank);
  const int slice = topology_.sliceOf(rank);
  const bool owners = holding_.B == TileSource::owners;
  std::vector<Fetch> sends;
  for (int block = 0; block < grid_.rounds(); ++block) {
    if (owners ? grid_.baseBlock(own) != block : grid_.rowBlock(block) != grid_.row(own)) continue;
    Fetch fetch = runOfB(block, own, slice);
    for (int node = 0; node < grid_.nodes(); ++node) {
      if (node == own || (!owners && grid_.col(node) != grid_.col(own))) continue;
      fetch.round = roundOf(block, node);
      fetch.to = topology_.rankAt(node, receiverOf(slice, own, node));
      sends.push_back(fetch);
    }
  }
  sortByRound(sends);
  return sends;
}

}  // namespace Trident
