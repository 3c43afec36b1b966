// Index spaces, slices and the schedule of fetches, for even, uneven and scattered nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "layout/Trident_IndexSpace.hpp"
#include "plan/Trident_Choice.hpp"
#include "plan/Trident_FetchSchedule.hpp"
#include "plan/Trident_Traffic.hpp"

namespace {

using namespace Trident;

struct Case {
  std::vector<int> nodeOfRank;
  NodeGrid grid;
};

std::vector<int> blocks(const std::vector<int>& sizes) {
  std::vector<int> nodeOf;
  for (std::size_t node = 0; node < sizes.size(); ++node)
    nodeOf.insert(nodeOf.end(), static_cast<std::size_t>(sizes[node]), static_cast<int>(node));
  return nodeOf;
}

std::vector<Case> cases() {
  return {{blocks({1}), {1, 1}},
          {blocks({4}), {1, 1}},
          {blocks({2, 2, 2, 2}), {2, 2}},
          {blocks({2, 2, 2, 2}), {4, 1}},
          {blocks({2, 2, 2, 2}), {1, 4}},
          {blocks({3, 5, 4}), {3, 1}},
          {blocks({3, 5, 4}), {1, 3}},
          {blocks({3, 1, 2, 3, 1, 2}), {3, 2}},
          {blocks({3, 1, 2, 5, 4, 2}), {2, 3}},
          {{0, 1, 2, 0, 1, 2, 3, 3}, {2, 2}},
          {blocks({1, 2, 3, 4, 1, 2, 3, 4}), {4, 2}},
          {blocks({1, 2, 3, 4, 1, 2, 3, 4}), {2, 4}}};
}

// Uneven counts, empty ranks among them.
std::vector<std::int64_t> counts(std::size_t ranks, int seed) {
  std::vector<std::int64_t> rows;
  for (std::size_t r = 0; r < ranks; ++r) rows.push_back((static_cast<int>(r) * 7 + seed * 5) % 11 % 9);
  return rows;
}

class Spaces : public testing::TestWithParam<int> {
 protected:
  Spaces()
      : param_(cases()[static_cast<std::size_t>(GetParam())]),
        topology_(param_.nodeOfRank),
        rows_(topology_, param_.grid, counts(param_.nodeOfRank.size(), 1), BlockOrder::bySlice),
        inner_(topology_, param_.grid, counts(param_.nodeOfRank.size(), 2), BlockOrder::bySlice),
        innerByRank_(topology_, param_.grid, counts(param_.nodeOfRank.size(), 2), BlockOrder::byRank) {}

  const IndexSpace& innerOf(TileSource source) const {
    return source == TileSource::tiles ? inner_ : innerByRank_;
  }

  Case param_;
  Topology topology_;
  IndexSpace rows_;
  IndexSpace inner_;
  IndexSpace innerByRank_;
};

TEST_P(Spaces, everyOwnedIndexHasOneIdInTheBlockOfItsNode) {
  for (const auto order : {BlockOrder::bySlice, BlockOrder::byRank}) {
    const auto rows = counts(param_.nodeOfRank.size(), 3);
    const IndexSpace space(topology_, param_.grid, rows, order);
    std::set<std::int64_t> seen;
    for (int rank = 0; rank < topology_.ranks(); ++rank) {
      std::int64_t next = 0;
      for (const int p : space.piecesOf(rank)) {
        const Piece& piece = space.pieces()[p];
        EXPECT_EQ(piece.firstLocal, next);
        next += piece.count;
        EXPECT_EQ(piece.block, param_.grid.baseBlock(topology_.nodeOf(rank)));
        EXPECT_GE(piece.start, space.blockStart(piece.block));
        EXPECT_LE(piece.start + piece.count, space.blockStart(piece.block + 1));
        for (std::int64_t l = 0; l < piece.count; ++l) {
          EXPECT_TRUE(seen.insert(piece.start + l).second);
          EXPECT_EQ(&space.pieceAt(piece.start + l), &piece);
        }
      }
      EXPECT_EQ(next, rows[rank]);
    }
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), space.size());
  }
}

TEST_P(Spaces, byRankIdsAscendWithTheOwner) {
  const IndexSpace space(topology_, param_.grid, counts(param_.nodeOfRank.size(), 3), BlockOrder::byRank);
  std::pair<int, int> last{-1, -1};
  for (const Piece& piece : space.pieces()) {
    const std::pair<int, int> owner{topology_.nodeOf(piece.rank), topology_.sliceOf(piece.rank)};
    EXPECT_LE(last, owner);
    last = owner;
  }
}

TEST_P(Spaces, slicesOfANodeDivideItsRowBlockAmongAllItsRanks) {
  for (int node = 0; node < topology_.nodes(); ++node) {
    std::multiset<int> held;
    for (int k = 0; k < topology_.ranksOn(node); ++k) {
      const auto pieces = rows_.slicePieces(param_.grid.row(node), topology_.ranksOn(node), k);
      EXPECT_FALSE(pieces.empty()) << "an idle rank";
      for (const int piece : pieces)
        EXPECT_EQ(rows_.holder(rows_.pieces()[piece], node), topology_.rankAt(node, k));
      held.insert(pieces.begin(), pieces.end());
    }
    for (std::size_t p = 0; p < rows_.pieces().size(); ++p)
      EXPECT_EQ(held.count(static_cast<int>(p)),
                param_.grid.rowBlock(rows_.pieces()[p].block) == param_.grid.row(node) ? 1U : 0U);
  }
}

using Key = std::tuple<int, int, int, int, int, int, std::int64_t>;
Key keyOf(const Fetch& f) { return {f.round, f.baseBlock, f.from, f.to, f.firstPiece, f.lastPiece, f.rows}; }

constexpr TileSource bothSources[] = {TileSource::tiles, TileSource::owners};

TEST_P(Spaces, whatIsSentIsWhatIsReceived) {
  for (const TileSource source : bothSources) {
    const FetchSchedule schedule(topology_, param_.grid, rows_, innerOf(source), {source, source});
    std::multiset<Key> sentA, receivedA, sentB, receivedB;
    for (int rank = 0; rank < topology_.ranks(); ++rank) {
      for (const Fetch& f : schedule.sendsOfA(rank)) sentA.insert(keyOf(f));
      for (const Fetch& f : schedule.receivesOfA(rank))
        if (f.from != rank) receivedA.insert(keyOf(f));
      for (const Fetch& f : schedule.sendsOfB(rank)) sentB.insert(keyOf(f));
      for (const Fetch& f : schedule.receivesOfB(rank)) receivedB.insert(keyOf(f));
    }
    EXPECT_EQ(sentA, receivedA);
    EXPECT_EQ(sentB, receivedB);
    for (const auto* all : {&receivedA, &receivedB})
      for (const Key& key : *all)
        EXPECT_NE(topology_.nodeOf(std::get<2>(key)), topology_.nodeOf(std::get<3>(key)));
  }
}

// Messages between two ranks match in the order of posting.
TEST_P(Spaces, senderAndReceiverListWhatPassesBetweenThemInTheSameOrder) {
  for (const TileSource source : bothSources) {
    const FetchSchedule schedule(topology_, param_.grid, rows_, innerOf(source), {source, source});
    std::map<std::pair<int, int>, std::vector<Key>> sent, received;
    for (int rank = 0; rank < topology_.ranks(); ++rank) {
      for (const Fetch& f : schedule.sendsOfA(rank)) sent[{f.from, f.to}].push_back(keyOf(f));
      for (const Fetch& f : schedule.receivesOfA(rank))
        if (f.from != rank) received[{f.from, f.to}].push_back(keyOf(f));
    }
    EXPECT_EQ(sent, received);
  }
}

TEST_P(Spaces, everyRoundBringsTheWholeSliceOfAAndTheWholeTileOfB) {
  for (const TileSource source : bothSources) {
    const IndexSpace& inner = innerOf(source);
    const FetchSchedule schedule(topology_, param_.grid, rows_, inner, {source, source});
    for (int rank = 0; rank < topology_.ranks(); ++rank) {
      const int node = topology_.nodeOf(rank);
      std::int64_t sliceRows = 0;
      for (const int p :
           rows_.slicePieces(param_.grid.row(node), topology_.ranksOn(node), topology_.sliceOf(rank)))
        sliceRows += rows_.pieces()[p].count;
      std::map<int, std::int64_t> rowsOfA;
      for (const Fetch& f : schedule.receivesOfA(rank)) rowsOfA[f.round] += f.rows;
      for (int t = 0; t < param_.grid.rounds(); ++t) {
        const int r = param_.grid.stagger(t, param_.grid.row(node), param_.grid.col(node));
        const bool own = source == TileSource::tiles && param_.grid.colBlock(r) == param_.grid.col(node);
        EXPECT_EQ(rowsOfA[t], own || param_.grid.cols == 1 ? 0 : sliceRows);
        std::int64_t next = inner.blockStart(r);
        for (const Part& part : schedule.partsOfB(node, r)) {
          if (part.run.rows > 0) {
            EXPECT_EQ(part.run.firstId, next) << "parts follow the ids of the block";
          }
          next += part.run.rows;
        }
        EXPECT_EQ(next, inner.blockStart(r + 1));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Topologies, Spaces, testing::Range(0, static_cast<int>(cases().size())));

constexpr WireSizes wire{4, 12};

// The paper's case: q x q nodes with nnz/N entries each receive 2(q-1) nnz/N entries in the rounds.
TEST(Traffic, squareGridReceivesTheClosedForm) {
  const int q = 4;
  const NodeGrid grid{q, q};
  const std::int64_t share = 1000;
  NodeTally tally;
  tally.rows.assign(q * q, 0);
  tally.entries.assign(q * q * q, share / q);
  for (const std::int64_t bytes : trafficOfA(grid, tally, wire))
    EXPECT_EQ(bytes, (q - 1) * share * wire.entry);
  for (const std::int64_t bytes : trafficOfB(grid, tally, wire))
    EXPECT_EQ(bytes, (q - 1) * share * wire.entry);
  for (const std::int64_t bytes : trafficOfConversion(grid, tally, q, wire))
    EXPECT_EQ(bytes, (q - 1) * share / q * wire.entry);
}

// A random matrix of n rows, so many entries a row, times another; C has at most so many entries.
ProductSizes randomProduct(int nodes, double n, double perRow, double entriesC) {
  ProductSizes sizes;
  sizes.nodes = sizes.ranks = nodes;
  sizes.rows = sizes.inner = sizes.columns = static_cast<std::int64_t>(n);
  sizes.entriesA = sizes.entriesB = static_cast<std::int64_t>(n * perRow);
  sizes.entriesCAtMost = static_cast<std::int64_t>(entriesC);
  const double met = 1 - std::exp(-perRow / nodes);
  sizes.needed.rows = static_cast<std::int64_t>(n * met * (nodes - 1));
  sizes.needed.entries = static_cast<std::int64_t>(n * perRow * met * (nodes - 1));
  return sizes;
}

CandidateCosts chosen(const ProductSizes& sizes) {
  const auto grids = gridsWorthCounting(sizes, wire);
  // All rows are needed: what whole tiles move.
  std::vector<NeededSum> needed;
  for (const NodeGrid& grid : grids)
    needed.push_back({sizes.inner * (sizes.nodes - 1), sizes.entriesB * (sizes.nodes - 1) / grid.cols});
  return choose(sizes, wire, grids, needed, Machine::named("1gbit"));
}

TEST(Choice, aProductOfUnknownFillStaysInOneColumnOfNodes) {
  for (const int nodes : {2, 4, 9, 16, 64}) {
    const auto sizes = randomProduct(nodes, 1e6, 60, 1e12);
    EXPECT_TRUE(gridsWorthCounting(sizes, wire).empty()) << "counting costs time";
    EXPECT_EQ(chosen(sizes).grid, (NodeGrid{nodes, 1}));
    EXPECT_EQ(chosen(sizes).filter, TileFilter::needed);
  }
}

TEST(Choice, aProductThatFillsInLittleGoesToASquareGridOnManyNodes) {
  EXPECT_EQ(chosen(randomProduct(16, 1e6, 60, 6e7)).grid, (NodeGrid{4, 4}));
  EXPECT_EQ(chosen(randomProduct(64, 1e6, 60, 6e7)).grid, (NodeGrid{8, 8}));
  EXPECT_EQ(chosen(randomProduct(64, 1e6, 5, 1e9)).grid, (NodeGrid{64, 1}));
  EXPECT_EQ(chosen(randomProduct(61, 1e6, 60, 6e9)).grid, (NodeGrid{61, 1}));
}

TEST(Choice, structuredMatricesStayInOneColumnOfNodes) {
  ProductSizes sizes = randomProduct(64, 1e6, 27, 1.25e8);
  sizes.needed.rows = 64 * 2 * 10000;
  sizes.needed.entries = 27 * sizes.needed.rows;
  EXPECT_TRUE(gridsWorthCounting(sizes, wire).empty());
  EXPECT_EQ(chosen(sizes).filter, TileFilter::needed);
}

// The bound of C is the only thing that is not exact: with the real C no candidate costs more.
TEST(Choice, neverTakesMoreBytesThanNodeAware1D) {
  for (const int nodes : {2, 4, 6, 9, 12, 16, 36, 64})
    for (const double perRow : {2.0, 10.0, 60.0, 300.0})
      for (const double fill : {1.0, 3.0, 30.0}) {
        const auto sizes = randomProduct(nodes, 1e5, perRow, 1e5 * perRow * fill);
        EXPECT_LE(chosen(sizes).giBytesSum, nodeAware1D(sizes, wire).giBytesSum);
      }
}

TEST(Traffic, oneColumnOfNodesConvertsAndMapsBackNothing) {
  const NodeGrid grid{3, 1};
  const NodeTally tally{{5, 6, 7}, {10, 20, 30}};
  const std::vector<std::int64_t> nothing(3, 0);
  EXPECT_EQ(trafficOfConversion(grid, tally, 1, {4, 12}), nothing);
  EXPECT_EQ(trafficOfMapBack(grid, tally, {4, 12}), nothing);
  EXPECT_EQ(trafficOfB(grid, tally, {4, 12}),
            (std::vector<std::int64_t>{50 * 12 + 13 * 4, 40 * 12 + 12 * 4, 30 * 12 + 11 * 4}));
}

}  // namespace
