#include "plan/Trident_FetchSchedule.hpp"

#include <algorithm>

namespace Trident {

FetchSchedule::FetchSchedule(const Topology& topology, const NodeGrid& grid, const IndexSpace& rows,
                             const IndexSpace& inner)
    : topology_(topology), grid_(grid), rows_(rows), inner_(inner) {}

std::vector<Fetch> FetchSchedule::receivesOfA(int rank) const {
  const int node = topology_.nodeOf(rank);
  const int i = grid_.row(node);
  const int j = grid_.col(node);
  const auto pieces = rows_.slicePieces(i, topology_.ranksOn(node), topology_.sliceOf(rank));
  std::vector<Fetch> fetches;
  for (int t = 0; t < grid_.rounds(); ++t) {
    const int ownerColumn = grid_.colBlock(grid_.stagger(t, i, j));
    if (ownerColumn != j) appendRuns(pieces, t, grid_.node(i, ownerColumn), rank, fetches);
  }
  return fetches;
}

// Neighbouring pieces travel together as long as they are neighbours in one owner's slice too. With the same
// number of ranks on every node that is the whole slice.
void FetchSchedule::appendRuns(const std::vector<int>& pieces, int round, int ownerNode, int to,
                               std::vector<Fetch>& out) const {
  const int i = grid_.row(ownerNode);
  const int r = grid_.stagger(round, i, grid_.col(topology_.nodeOf(to)));
  int owner = -1;
  std::vector<int> ownerPieces;
  for (const int piece : pieces) {
    const int holder = rows_.holder(rows_.pieces()[piece], ownerNode);
    if (holder != owner) {
      owner = holder;
      ownerPieces = rows_.slicePieces(i, topology_.ranksOn(ownerNode), topology_.sliceOf(holder));
    }
    const auto at = std::lower_bound(ownerPieces.begin(), ownerPieces.end(), piece) - ownerPieces.begin();
    const auto position = static_cast<int>(at);
    const bool continues = !out.empty() && out.back().round == round && out.back().from == holder &&
                           out.back().lastPiece == position;
    if (!continues) out.push_back(Fetch{round, r, holder, to, position, position, 0});
    out.back().lastPiece = position + 1;
    out.back().rows += rows_.pieces()[piece].count;
  }
}

// Slices of the owner's tile are dealt out in order, as evenly as the two nodes' ranks allow.
int FetchSchedule::receiverOf(int ownerSlice, int ownerNode, int node) const {
  return ownerSlice * topology_.ranksOn(node) / topology_.ranksOn(ownerNode);
}

std::vector<Part> FetchSchedule::partsOfB(int node, int baseBlock) const {
  const int ownerNode = grid_.node(grid_.rowBlock(baseBlock), grid_.col(node));
  const int ownerRanks = topology_.ranksOn(ownerNode);
  std::vector<Part> parts;
  parts.reserve(static_cast<std::size_t>(ownerRanks));
  for (int slice = 0; slice < ownerRanks; ++slice)
    parts.push_back(
        Part{slice, receiverOf(slice, ownerNode, node), sliceOfB(baseBlock, ownerNode, slice).rows});
  return parts;
}

Fetch FetchSchedule::sliceOfB(int baseBlock, int ownerNode, int ownerSlice) const {
  const auto pieces = inner_.slicePieces(grid_.rowBlock(baseBlock), topology_.ranksOn(ownerNode), ownerSlice);
  const auto inBlock = [&](int piece) { return inner_.pieces()[piece].block == baseBlock; };
  const auto first = std::find_if(pieces.begin(), pieces.end(), inBlock);
  const auto last = std::find_if_not(first, pieces.end(), inBlock);
  Fetch run{0,
            baseBlock,
            topology_.rankAt(ownerNode, ownerSlice),
            0,
            static_cast<int>(first - pieces.begin()),
            static_cast<int>(last - pieces.begin()),
            0};
  std::for_each(first, last, [&](int piece) { run.rows += inner_.pieces()[piece].count; });
  if (first != last) run.firstId = inner_.pieces()[*first].start;
  return run;
}

std::vector<Fetch> FetchSchedule::receivesOfB(int rank) const {
  const int node = topology_.nodeOf(rank);
  const int i = grid_.row(node);
  const int j = grid_.col(node);
  std::vector<Fetch> fetches;
  for (int t = 0; t < grid_.rounds(); ++t) {
    const int r = grid_.stagger(t, i, j);
    if (grid_.rowBlock(r) == i) continue;
    const int ownerNode = grid_.node(grid_.rowBlock(r), j);
    for (int slice = 0; slice < topology_.ranksOn(ownerNode); ++slice) {
      if (receiverOf(slice, ownerNode, node) != topology_.sliceOf(rank)) continue;
      Fetch fetch = sliceOfB(r, ownerNode, slice);
      fetch.round = t;
      fetch.to = rank;
      fetches.push_back(fetch);
    }
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
  const int own = topology_.nodeOf(rank);
  const int i = grid_.row(own);
  std::vector<Fetch> sends;
  for (int j = 0; j < grid_.cols; ++j) {
    const int node = grid_.node(i, j);
    if (node == own) continue;
    for (int k = 0; k < topology_.ranksOn(node); ++k) {
      const auto pieces = rows_.slicePieces(i, topology_.ranksOn(node), k);
      const bool meets = std::any_of(pieces.begin(), pieces.end(), [&](int piece) {
        return rows_.holder(rows_.pieces()[piece], own) == rank;
      });
      if (!meets) continue;
      std::vector<Fetch> runs;
      for (int block = 0; block < grid_.rounds(); ++block)
        if (grid_.colBlock(block) == grid_.col(own))
          appendRuns(pieces, roundOf(block, node), own, topology_.rankAt(node, k), runs);
      std::copy_if(runs.begin(), runs.end(), std::back_inserter(sends),
                   [rank](const Fetch& fetch) { return fetch.from == rank; });
    }
  }
  sortByRound(sends);
  return sends;
}

std::vector<Fetch> FetchSchedule::sendsOfB(int rank) const {
  const int own = topology_.nodeOf(rank);
  const int slice = topology_.sliceOf(rank);
  std::vector<Fetch> sends;
  for (int block = 0; block < grid_.rounds(); ++block) {
    if (grid_.rowBlock(block) != grid_.row(own)) continue;
    Fetch fetch = sliceOfB(block, own, slice);
    for (int i = 0; i < grid_.rows; ++i) {
      const int node = grid_.node(i, grid_.col(own));
      if (node == own) continue;
      fetch.round = roundOf(block, node);
      fetch.to = topology_.rankAt(node, receiverOf(slice, own, node));
      sends.push_back(fetch);
    }
  }
  sortByRound(sends);
  return sends;
}

}  // namespace Trident
