#include "RandomModel.hpp"

#include <cmath>

namespace Predict {

namespace {

/// Entries, and row lengths or pointers that go with them.
struct Amount {
  double entries = 0;
  double rows = 0;

  double bytes(std::int64_t aRow) const {
    return entries * static_cast<double>(entryBytes) + rows * static_cast<double>(aRow);
  }
};

Amount operator+(const Amount& a, const Amount& b) { return {a.entries + b.entries, a.rows + b.rows}; }

Amount operator*(const Amount& a, double factor) { return {a.entries * factor, a.rows * factor}; }

/// Share of B's rows that are needed where the rows of A are cut into `parts`: d / parts entries of each
/// column are expected in one part, and the row is not needed when there are none.
double neededShare(const RandomMatrix& matrix, double parts) {
  return -std::expm1(-matrix.entriesARow / parts);
}

/// The terms of F(p_c) (shared/DESIGN.md, section 2), for one grid.
struct Expectation {
  const RandomMatrix& matrix;
  Trident::CandidateCosts& costs;
  double ranksPerNode;
  Setting setting;
  double n, N, pr, pc, Q;
  Amount own;  ///< 1D rows of an operand

  Expectation(const RandomMatrix& of, Trident::CandidateCosts& into, int ranks, const Setting& how)
      : matrix(of),
        costs(into),
        ranksPerNode(ranks),
        setting(how),
        n(of.rows),
        N(into.grid.nodes()),
        pr(into.grid.rows),
        pc(into.grid.cols),
        Q(into.grid.rounds()),
        own{n * of.entriesARow / N, n / N} {}

  bool needed() const { return costs.filter == Trident::TileFilter::needed; }

  /// The first term, without the filter on A that F has: rows of A travel whole, as the engine sends them.
  Amount ofA() const {
    if (costs.fromOwners) return {own.entries * (pc - 1), own.rows * (pc - 1) * Q};
    return {own.entries * (pc - 1), own.rows * pc * (Q - Q / pc)};
  }

  /// Rows of B that a node uses, in its column block.
  Amount gathered() const {
    const double share = needed() ? neededShare(matrix, pr) : 1;
    return Amount{own.entries * pr, n} * share;
  }

  /// The second term: those of them that others hold.
  Amount ofB() const { return gathered() * (costs.fromOwners ? 1 - 1 / N : 1 - 1 / pr); }

  /// Holders that have at least one of the rows.
  double holdersOfB() const {
    const double holders = costs.fromOwners ? N - 1 : Q - Q / pr;
    return holders == 0 ? 0 : holders * -std::expm1(-ofB().rows / holders);
  }

  Amount conversion() const {
    if (costs.fromOwners || setting.chain) return {};
    const Amount A{own.entries * (1 - 1 / pc), own.rows * (pc - 1) * Q / pc};
    const Amount B{own.entries * (1 - 1 / pc), own.rows * (pc - 1)};
    return A + B;
  }

  Amount ownOfC() const { return {own.entries * matrix.growth, own.rows}; }

  /// The third term.
  Amount mapBack() const {
    if (setting.chain) return {};
    return {ownOfC().entries * (1 - 1 / pc), own.rows * (pc - 1)};
  }

  /// As for a counted pattern; what asks and what is asked for are the same on average.
  bool asks() const { return needed() && !costs.fromOwners; }

  double requestBytes() const {
    const std::int64_t fixed =
        fixedRequestBytes(costs, static_cast<int>(ranksPerNode), static_cast<std::int64_t>(n));
    return static_cast<double>(fixed) + (asks() ? ofB().rows * static_cast<double>(requestedRowBytes) : 0);
  }

  double messagesOfB() const { return holdersOfB() * (arraysATransfer + (asks() ? 1 : 0)); }

  /// Of the gathered rows, on a node.
  double copies() const { return setting.sharedWindow ? 1 : ranksPerNode; }

  double memoryBytes() const {
    const bool tiles = !costs.fromOwners && pc > 1;
    Amount held = ofA() + gathered() * copies() + Amount{ownOfC().entries, own.rows * pc};
    if (!setting.chain || !tiles) held = held + own + (pc > 1 ? ownOfC() : Amount{});
    if (tiles) held = held + Amount{2 * own.entries, own.rows * pc * (Q / pc + 1)};
    return held.bytes(rowPointerBytes) / ranksPerNode;
  }

  void fillIn() const {
    const Amount received = conversion() + ofA() + ofB() + mapBack();
    costs.giBytesMost = received.bytes(rowLengthBytes) + requestBytes();
    costs.giBytesSum = costs.giBytesMost * N;
    costs.giMessagesMost = messagesOf(costs, setting.chain, messagesOfB());
    costs.liBytesMost = gathered().bytes(rowLengthBytes) * (copies() - 1);
    costs.liMessagesMost = ranksPerNode > 1 ? Q : 0;
    costs.multiplicationsMost = sizesOf(matrix).multiplications / (N * ranksPerNode);
    costs.memoryBytesMost = memoryBytes();
  }
};

Prediction expectTpetra(const RandomMatrix& matrix, int nodes, int ranksPerNode) {
  Prediction prediction;
  prediction.tpetra = true;
  Trident::CandidateCosts& costs = prediction.costs;
  costs.grid = {nodes, 1};
  costs.filter = Trident::TileFilter::needed;
  costs.fromOwners = true;
  const double ranks = static_cast<double>(nodes) * ranksPerNode;
  const Amount aRank = Amount{matrix.rows * matrix.entriesARow, matrix.rows} * neededShare(matrix, ranks);
  const Amount aPeer = aRank * (1 / ranks);
  const double peerTalks = -std::expm1(-aPeer.rows);
  costs.giBytesMost = (aPeer * ((nodes - 1.0) * ranksPerNode * ranksPerNode)).bytes(tpetraRowBytes);
  costs.giBytesSum = costs.giBytesMost * nodes;
  costs.giMessagesMost = (nodes - 1.0) * ranksPerNode * peerTalks;
  costs.liBytesMost = (aPeer * ((ranksPerNode - 1.0) * ranksPerNode)).bytes(tpetraRowBytes);
  costs.liMessagesMost = (ranksPerNode - 1.0) * peerTalks;
  costs.multiplicationsMost = sizesOf(matrix).multiplications / ranks;
  const Amount own = Amount{matrix.rows * matrix.entriesARow, matrix.rows} * (1 / ranks);
  const Amount C{own.entries * matrix.growth, own.rows};
  costs.memoryBytesMost = (own + C + aPeer * (ranks - 1)).bytes(rowPointerBytes);
  return prediction;
}

}  // namespace

Sizes sizesOf(const RandomMatrix& matrix) {
  Sizes sizes;
  sizes.rows = sizes.inner = sizes.cols = matrix.rows;
  sizes.entriesA = sizes.entriesB = matrix.rows * matrix.entriesARow;
  sizes.entriesC = sizes.entriesA * matrix.growth;
  sizes.multiplications = sizes.entriesA * matrix.entriesARow;
  return sizes;
}

Case expectCase(const RandomMatrix& matrix, int nodes, int ranksPerNode, const Setting& setting) {
  Case result;
  result.nodes = nodes;
  result.ranksPerNode = ranksPerNode;
  for (const Trident::NodeGrid& grid : gridsOf(nodes))
    for (const Member& member : membersOf(setting.chain)) {
      Prediction prediction;
      prediction.costs.grid = grid;
      prediction.costs.filter = member.needed ? Trident::TileFilter::needed : Trident::TileFilter::whole;
      prediction.costs.fromOwners = member.fromOwners;
      Expectation(matrix, prediction.costs, ranksPerNode, setting).fillIn();
      result.predictions.push_back(prediction);
    }
  result.predictions.push_back(expectTpetra(matrix, nodes, ranksPerNode));
  return result;
}

}  // namespace Predict
