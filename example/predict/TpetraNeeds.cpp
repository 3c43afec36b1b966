#include <algorithm>

#include "Needs.hpp"

namespace Predict {

namespace {

/// What one rank fetches.
struct Fetched {
  std::int64_t entries = 0, rows = 0, peers = 0;        // from other nodes
  std::int64_t liEntries = 0, liRows = 0, liPeers = 0;  // from its own node
  std::int64_t multiplications = 0;
};

class RankCounter {
 public:
  RankCounter(const Problem& problem, const Distribution& distribution)
      : problem_(problem),
        distribution_(distribution),
        neededBy_(static_cast<std::size_t>(problem.B.rows), -1),
        peerOf_(static_cast<std::size_t>(distribution.nodes) *
                    static_cast<std::size_t>(distribution.ranksPerNode),
                -1) {}

  /// For rows [first, last) of A, those of `rank`.
  Fetched count(int rank, std::size_t first, std::size_t last) {
    const Pattern& A = problem_.A;
    const Pattern& nonzeroA = problem_.nonzeroA;
    Fetched fetched;
    for (std::size_t e = A.rowPtr[first]; e < A.rowPtr[last]; ++e) {
      const auto k = static_cast<std::size_t>(A.col[e]);
      if (neededBy_[k] == rank) continue;
      neededBy_[k] = rank;
      if (distribution_.rankOfInner[k] != rank) fetch(rank, k, fetched);
    }
    for (std::size_t e = nonzeroA.rowPtr[first]; e < nonzeroA.rowPtr[last]; ++e)
      fetched.multiplications +=
          static_cast<std::int64_t>(problem_.B.length(static_cast<std::size_t>(nonzeroA.col[e])));
    return fetched;
  }

 private:
  void fetch(int rank, std::size_t k, Fetched& fetched) {
    const int owner = distribution_.rankOfInner[k];
    const bool near = distribution_.nodeOf(owner) == distribution_.nodeOf(rank);
    const auto length = static_cast<std::int64_t>(problem_.B.length(k));
    (near ? fetched.liEntries : fetched.entries) += length;
    ++(near ? fetched.liRows : fetched.rows);
    int& peerOf = peerOf_[static_cast<std::size_t>(owner)];
    if (peerOf != rank) ++(near ? fetched.liPeers : fetched.peers);
    peerOf = rank;
  }

  const Problem& problem_;
  const Distribution& distribution_;
  std::vector<int> neededBy_, peerOf_;  // the last rank that needed a row of B, or something of a rank
};

/// Bytes of the rows [first, last) of a matrix.
std::int64_t memoryOf(const Pattern& matrix, std::size_t first, std::size_t last) {
  return static_cast<std::int64_t>(matrix.rowPtr[last] - matrix.rowPtr[first]) * entryBytes +
         static_cast<std::int64_t>(last - first) * rowPointerBytes;
}

std::size_t endOf(const std::vector<int>& ranks, std::size_t first, int rank) {
  while (first < ranks.size() && ranks[first] == rank) ++first;
  return first;
}

}  // namespace

TpetraNeeds countTpetra(const Problem& problem, const Distribution& distribution) {
  const PerNode zero(static_cast<std::size_t>(distribution.nodes), 0);
  TpetraNeeds needs;
  needs.entries = needs.rows = needs.liEntries = needs.liRows = zero;
  RankCounter counter(problem, distribution);
  std::size_t row = 0, inner = 0;
  for (int rank = 0; rank < distribution.nodes * distribution.ranksPerNode; ++rank) {
    const std::size_t lastRow = endOf(distribution.rankOfRow, row, rank);
    const std::size_t lastInner = endOf(distribution.rankOfInner, inner, rank);
    const Fetched fetched = counter.count(rank, row, lastRow);
    const auto node = static_cast<std::size_t>(distribution.nodeOf(rank));
    needs.entries[node] += fetched.entries;
    needs.rows[node] += fetched.rows;
    needs.liEntries[node] += fetched.liEntries;
    needs.liRows[node] += fetched.liRows;
    needs.giPeersMost = std::max(needs.giPeersMost, fetched.peers);
    needs.liPeersMost = std::max(needs.liPeersMost, fetched.liPeers);
    needs.multiplicationsMost = std::max(needs.multiplicationsMost, fetched.multiplications);
    const std::int64_t memory = memoryOf(problem.A, row, lastRow) + memoryOf(problem.C, row, lastRow) +
                                (problem.oneOperand ? 0 : memoryOf(problem.B, inner, lastInner)) +
                                (fetched.entries + fetched.liEntries) * entryBytes +
                                (fetched.rows + fetched.liRows) * rowPointerBytes;
    needs.memoryMost = std::max(needs.memoryMost, memory);
    row = lastRow;
    inner = lastInner;
  }
  return needs;
}

}  // namespace Predict
