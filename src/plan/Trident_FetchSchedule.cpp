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

std::vector<Part> FetchSchedule::partsOfB(int node, int baseBlock) const {
  const int ownerNode = grid_.node(grid_.rowBlock(baseBlock), grid_.col(node));
  const int ownerRanks = topology_.ranksOn(ownerNode);
  std::vector<Part> parts;
  parts.reserve(static_cast<std::size_t>(ownerRanks));
  for (int slice = 0; slice < ownerRanks; ++slice)
    parts.push_back(Part{slice, slice * topology_.ranksOn(node) / ownerRanks,
                         sliceOfB(baseBlock, ownerNode, slice).rows});
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
    for (const Part& part : partsOfB(node, r)) {
      if (part.receiver != topology_.sliceOf(rank)) continue;
      Fetch fetch = sliceOfB(r, grid_.node(grid_.rowBlock(r), j), part.ownerSlice);
      fetch.round = t;
      fetch.to = rank;
      fetches.push_back(fetch);
    }
  }
  return fetches;
}

template <class Receives>
std::vector<Fetch> FetchSchedule::sendsTo(int rank, const std::vector<int>& nodes,
                                          const Receives& receives) const {
  std::vector<Fetch> sends;
  for (const int node : nodes) {
    if (node == topology_.nodeOf(rank)) continue;
    for (int k = 0; k < topology_.ranksOn(node); ++k)
      for (const Fetch& fetch : receives(topology_.rankAt(node, k)))
        if (fetch.from == rank) sends.push_back(fetch);
  }
  std::stable_sort(sends.begin(), sends.end(),
                   [](const Fetch& a, const Fetch& b) { return a.round < b.round; });
  return sends;
}

std::vector<Fetch> FetchSchedule::sendsOfA(int rank) const {
  std::vector<int> nodeRow;
  nodeRow.reserve(static_cast<std::size_t>(grid_.cols));
  for (int j = 0; j < grid_.cols; ++j) nodeRow.push_back(grid_.node(grid_.row(topology_.nodeOf(rank)), j));
  return sendsTo(rank, nodeRow, [this](int consumer) { return receivesOfA(consumer); });
}

std::vector<Fetch> FetchSchedule::sendsOfB(int rank) const {
  std::vector<int> nodeColumn;
  nodeColumn.reserve(static_cast<std::size_t>(grid_.rows));
  for (int i = 0; i < grid_.rows; ++i) nodeColumn.push_back(grid_.node(i, grid_.col(topology_.nodeOf(rank))));
  return sendsTo(rank, nodeColumn, [this](int consumer) { return receivesOfB(consumer); });
}

}  // namespace Trident
