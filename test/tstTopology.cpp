// Who is on which node, grids of nodes, and the communicators kept with a context.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "topology/Trident_Context.hpp"
#include "topology/Trident_Mpi.hpp"
#include "topology/Trident_NodeGrid.hpp"

namespace {

using namespace Trident;

std::vector<int> sizesOf(const Topology& topology) {
  std::vector<int> sizes;
  for (int node = 0; node < topology.nodes(); ++node) sizes.push_back(topology.ranksOn(node));
  return sizes;
}

TEST(Topology, forcedSizesAreRepeatedAndTheLastNodeTakesTheRest) {
  EXPECT_EQ(sizesOf(Topology::forced(12, "3,5,4")), (std::vector<int>{3, 5, 4}));
  EXPECT_EQ(sizesOf(Topology::forced(10, "4")), (std::vector<int>{4, 4, 2}));
  EXPECT_EQ(sizesOf(Topology::forced(7, "1, 2")), (std::vector<int>{1, 2, 1, 2, 1}));
  EXPECT_EQ(sizesOf(Topology::forced(2, "3,5,4")), (std::vector<int>{2}));
}

TEST(Topology, illFormedSizesAreRefused) {
  for (const char* sizes : {"0", "-1", "x", "3,", "3,,4", "3;4", "2.5", " ", "99999999999"})
    EXPECT_THROW(Topology::forced(4, sizes), std::invalid_argument) << sizes;
}

TEST(Topology, nodesAreNumberedByTheirLowestRank) {
  const Topology topology({7, 3, 7, 3, 9});

  EXPECT_EQ(topology.nodes(), 3);
  EXPECT_EQ(topology.nodeOf(2), 0);
  EXPECT_EQ(topology.sliceOf(2), 1);
  EXPECT_EQ(topology.rankAt(1, 1), 3);
  EXPECT_EQ(topology.nodeOf(4), 2);
}

std::vector<NodeGrid> gridsOf(int nodes) {
  std::vector<NodeGrid> grids;
  for (int rows = 1; rows <= nodes; ++rows)
    if (nodes % rows == 0) grids.push_back({rows, nodes / rows});
  return grids;
}

TEST(NodeGrid, nearlySquareTakesEveryNumberOfNodes) {
  EXPECT_EQ(NodeGrid::nearlySquare(9), (NodeGrid{3, 3}));
  EXPECT_EQ(NodeGrid::nearlySquare(6), (NodeGrid{3, 2}));
  EXPECT_EQ(NodeGrid::nearlySquare(12), (NodeGrid{4, 3}));
  EXPECT_EQ(NodeGrid::nearlySquare(7), (NodeGrid{7, 1}));
}

TEST(NodeGrid, parseAcceptsOnlyGridsOfTheNodesThereAre) {
  EXPECT_EQ(NodeGrid::parse(" 2x3", 6), (NodeGrid{2, 3}));
  for (const char* text : {"2x2", "6", "0x0", "x6", "-2x-3", "2x3x1", ""})
    EXPECT_THROW(NodeGrid::parse(text, 6), std::invalid_argument) << text;
}

TEST(NodeGrid, baseBlocksAreRunsOfNodesAndMakeUpRowAndColumnBlocks) {
  for (int nodes = 1; nodes <= 24; ++nodes)
    for (const NodeGrid& grid : gridsOf(nodes)) {
      for (int node = 0; node < nodes; ++node) {
        const int block = grid.baseBlock(node);
        EXPECT_EQ(grid.rowBlock(block), grid.row(node)) << grid;
        EXPECT_LT(grid.colBlock(block), grid.cols) << grid;
        EXPECT_GE(block, grid.baseBlock(node == 0 ? 0 : node - 1)) << grid;
      }
    }
}

TEST(NodeGrid, everyNodeVisitsEveryBaseBlockOnceAndNeighboursDiffer) {
  for (int nodes = 1; nodes <= 24; ++nodes)
    for (const NodeGrid& grid : gridsOf(nodes))
      for (int node = 0; node < nodes; ++node) {
        std::vector<int> visits(static_cast<std::size_t>(grid.rounds()), 0);
        for (int t = 0; t < grid.rounds(); ++t) ++visits[grid.stagger(t, grid.row(node), grid.col(node))];
        EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << grid;
      }
}

int ranksOfWorld() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

TEST(Context, isMadeOncePerCommunicatorAndTopology) {
  Context& first = Context::of(MPI_COMM_WORLD, "2");

  EXPECT_EQ(&Context::of(MPI_COMM_WORLD, "2"), &first);
  EXPECT_NE(&Context::of(MPI_COMM_WORLD, "1"), &first);
  EXPECT_EQ(first.topology().nodes(), (ranksOfWorld() + 1) / 2);
}

TEST(Context, nodeCommunicatorHoldsTheNodesRanksInSliceOrder) {
  Context& context = Context::of(MPI_COMM_WORLD, "3,1");
  int size = 0;
  int rank = 0;
  MPI_Comm_size(context.nodeComm(), &size);
  MPI_Comm_rank(context.nodeComm(), &rank);

  EXPECT_EQ(size, context.topology().ranksOn(context.node()));
  EXPECT_EQ(rank, context.slice());
}

TEST(Context, memoryIsSharedWhereAllRanksOfTheNodeAreOnOneMachine) {
  const Context& context = Context::of(MPI_COMM_WORLD, "3,1");
  const Topology machines = Topology::discover(MPI_COMM_WORLD);
  bool together = true;
  for (int slice = 0; slice < context.topology().ranksOn(context.node()); ++slice) {
    const int rank = context.topology().rankAt(context.node(), slice);
    together = together && machines.nodeOf(rank) == machines.nodeOf(context.rank());
  }

  EXPECT_EQ(context.sharesMemory(), together);
  EXPECT_TRUE(Context::of(MPI_COMM_WORLD, "").sharesMemory());
}

struct Witness {
  explicit Witness(const Context&) { ++alive(); }
  ~Witness() { --alive(); }
  static int& alive() {
    static int count = 0;
    return count;
  }
};

TEST(Context, goesWithItsCommunicator) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int repeat = 0; repeat < 20; ++repeat) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    Context::of(part, "2").attached<Witness>();
    Context::of(part, "").attached<Witness>();
    EXPECT_EQ(Witness::alive(), 2);

    MPI_Comm_free(&part);

    EXPECT_EQ(Witness::alive(), 0);
  }
}

TEST(Agreement, oneRanksErrorIsThrownByAllAndTheLowestSpeaks) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_NO_THROW(agreeOrThrow(MPI_COMM_WORLD, ""));
  const int speaker = ranksOfWorld() / 2;
  try {
    agreeOrThrow(MPI_COMM_WORLD, rank >= speaker ? "told by " + std::to_string(rank) : "",
                 ErrorType::argument);
    FAIL() << "nothing thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), "told by " + std::to_string(speaker));
  }
}

}  // namespace
