// The engine without Tpetra: products of distributed matrices on every kind of topology, grid, gather and
// batching against the definition, with the ledger held against the traffic formulas.
#include "TestTiledProduct.hpp"

namespace {

using namespace Trident;
using namespace Trident::EngineTest;

std::vector<NodeGrid> gridsOf(int nodes) {
  std::vector<NodeGrid> grids;
  for (int rows = 1; rows <= nodes; ++rows)
    if (nodes % rows == 0) grids.push_back({rows, nodes / rows});
  return grids;
}

int ranksOfWorld() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

class Topologies : public testing::TestWithParam<const char*> {};

TEST_P(Topologies, productsEqualTheDefinitionAndTheLedgerTheFormula) {
  using Types = TileTypes<double, int, Device>;
  const int nodes = Topology::forced(ranksOfWorld(), GetParam()).nodes();
  unsigned seed = 0;
  for (const NodeGrid& grid : gridsOf(nodes))
    for (const auto gather : {GatherKind::sharedWindow, GatherKind::allgatherv})
      for (const int batch : {0, 1, 2}) {
        const auto local = ++seed % 3 == 0 ? LocalKind::kokkosKernels : LocalKind::host;
        const Setting setting{
            GetParam(), grid, gather, local, batch, static_cast<int>(seed % 4), seed % 2 == 0 ? 64 : 1 << 20};
        SCOPED_TRACE(std::string(GetParam()) + " nodes, grid " + std::to_string(grid.rows) + "x" +
                     std::to_string(grid.cols) + ", " + name(gather) + ", " + name(local) + ", batch " +
                     std::to_string(batch));
        Harness<Types> harness(setting, 37, 53, 41, seed);
        const auto a = randomMatrix<double>(37, 53, 260, seed);
        const auto b = randomMatrix<double>(53, 41, 210, seed + 7);
        harness.expectRows(harness.multiply(a, b), Reference::product(a, b, true));
        harness.expectLedgerAsPredicted();
      }
}

TEST_P(Topologies, neededRowsGiveTheSameProductAndTheLedgerOfTheirRequests) {
  using Types = TileTypes<double, int, Device>;
  const NodeGrid grid{Topology::forced(ranksOfWorld(), GetParam()).nodes(), 1};
  unsigned seed = 0;
  for (const auto gather : {GatherKind::sharedWindow, GatherKind::allgatherv})
    for (const int batch : {0, 1, 2})
      for (const int entries : {0, 30, 400}) {
        const auto local = ++seed % 3 == 0 ? LocalKind::kokkosKernels : LocalKind::host;
        const Setting setting{GetParam(), grid, gather, local, batch, 1, 1 << 20, TileFilter::needed};
        Harness<Types> harness(setting, 37, 53, 41, seed);
        harness.plan().panels = 1 + static_cast<int>(seed % 4) / 2;
        const auto a = randomMatrix<double>(37, 53, entries, seed);
        const auto b = randomMatrix<double>(53, 41, 210, seed + 7);
        harness.expectRows(harness.multiply(a, b), Reference::product(a, b, true));
        harness.expectLedgerAsPredicted();
      }
}

// Needed rows and tiles straight from their owners, on every grid.
TEST_P(Topologies, everyFilterAndSourceGivesTheSameProduct) {
  using Types = TileTypes<double, int, Device>;
  const int nodes = Topology::forced(ranksOfWorld(), GetParam()).nodes();
  unsigned seed = 0;
  for (const NodeGrid& grid : gridsOf(nodes))
    for (const auto source : {TileSource::owners, TileSource::tiles})
      for (const auto filter : {TileFilter::whole, TileFilter::needed})
        for (const auto gather : {GatherKind::sharedWindow, GatherKind::allgatherv}) {
          ++seed;
          const Setting setting{GetParam(),
                                grid,
                                gather,
                                LocalKind::host,
                                static_cast<int>(seed % 3),
                                static_cast<int>(seed % 4),
                                seed % 2 == 0 ? 64 : 1 << 20,
                                filter,
                                source};
          SCOPED_TRACE(std::string(GetParam()) + " nodes, grid " + std::to_string(grid.rows) + "x" +
                       std::to_string(grid.cols) + ", " + name(gather) + ", " + name(filter) + " from " +
                       name(source));
          Harness<Types> harness(setting, 67, 83, 71, seed);
          const auto a = randomMatrix<double>(67, 83, 160, seed);
          const auto b = randomMatrix<double>(83, 71, 210, seed + 7);
          harness.plan().panels = 1 + static_cast<int>(seed % 5) % 4;
          harness.expectRows(harness.multiply(a, b), Reference::product(a, b, true));
          harness.expectLedgerAsPredicted();
          harness.expectValuesOnly(a, b, scaled(a, 3), scaled(b, -2));
        }
}

INSTANTIATE_TEST_SUITE_P(NodeSizes, Topologies, testing::Values("1", "2", "3", "1,2", "3,1,2", "100"));

template <class Types>
void expectProductOf(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t entries) {
  const NodeGrid grid = NodeGrid::nearlySquare(Topology::forced(ranksOfWorld(), "2").nodes());
  Harness<Types> harness({"2", grid, GatherKind::automatic, LocalKind::automatic, 0, 4, 1 << 20}, m, k, n, 3);
  const auto a = randomMatrix<typename Types::scalar_type>(m, k, entries, 1);
  const auto b = randomMatrix<typename Types::scalar_type>(k, n, entries, 2);
  harness.expectRows(harness.multiply(a, b), Reference::product(a, b, true));
}

TEST(TiledProduct, takesOtherScalarsAndOrdinals) {
  expectProductOf<TileTypes<float, int, Device>>(30, 30, 30, 200);
  expectProductOf<TileTypes<double, long long, Device>>(30, 30, 30, 200);
  expectProductOf<TileTypes<int, int, Device>>(30, 30, 30, 200);
}

TEST(TiledProduct, takesEmptyAndTinyMatrices) {
  using Types = TileTypes<double, int, Device>;
  expectProductOf<Types>(0, 0, 0, 0);
  expectProductOf<Types>(5, 0, 7, 0);
  expectProductOf<Types>(0, 5, 7, 10);
  expectProductOf<Types>(1, 1, 1, 1);
  expectProductOf<Types>(40, 2, 40, 30);
  expectProductOf<Types>(20, 20, 20, 0);
}

TEST(TiledProduct, delaysDoNotChangeABit) {
  using Types = TileTypes<double, int, Device>;
  const NodeGrid grid = NodeGrid::nearlySquare(Topology::forced(ranksOfWorld(), "1").nodes());
  auto a = randomMatrix<double>(60, 60, 900, 5);
  for (auto& [i, row] : a.row)
    for (auto& [j, value] : row) value /= 3 + static_cast<double>(i * j % 17);
  std::vector<BlockOfRows<Types>> first;
  for (const int seed : {0, 1, 2, 3}) {
    Harness<Types> harness({"1", grid, GatherKind::automatic, LocalKind::host, 1, 2, 1 << 20}, 60, 60, 60, 4);
    harness.plan().delaySeed = seed;
    const auto C = harness.multiply(a, a);
    if (seed == 0) first = C;
    for (std::size_t j = 0; j < C.size(); ++j) {
      ASSERT_EQ(C[j].values.extent(0), first[j].values.extent(0));
      EXPECT_EQ(
          std::memcmp(C[j].values.data(), first[j].values.data(), C[j].values.extent(0) * sizeof(double)), 0);
      EXPECT_EQ(
          std::memcmp(C[j].columns.data(), first[j].columns.data(), C[j].columns.extent(0) * sizeof(int)), 0);
    }
  }
}

TEST(TiledProduct, oneRanksFailureIsThrownByAllAndTheNextProductWorks) {
  using Types = TileTypes<double, int, Device>;
  const NodeGrid grid = NodeGrid::nearlySquare(Topology::forced(ranksOfWorld(), "2").nodes());
  Harness<Types> harness({"2", grid, GatherKind::automatic, LocalKind::automatic, 1, 1, 1 << 20}, 30, 30, 30,
                         3);
  const auto a = randomMatrix<double>(30, 30, 200, 1);
  const int failing = ranksOfWorld() - 1;
  harness.plan().faults.failingRank = failing;
  try {
    harness.multiply(a, a);
    FAIL() << "nothing thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("on rank " + std::to_string(failing)), std::string::npos)
        << error.what();
  }
  harness.plan().faults.failingRank = -1;
  harness.expectRows(harness.multiply(a, a), Reference::product(a, a, true));
}

// Not when the test runs on several machines and a forced node spans two of them.
bool everyNodeSharesMemory(const std::string& nodes) {
  int shares = Context::of(MPI_COMM_WORLD, nodes).sharesMemory() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &shares, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return shares == 1;
}

TEST(TiledProduct, aWindowThatHasNoRoomFallsBackToTheAllgatherv) {
  if (!everyNodeSharesMemory("3")) GTEST_SKIP() << "a node of three ranks spans machines";
  using Types = TileTypes<double, int, Device>;
  const NodeGrid grid = NodeGrid::nearlySquare(Topology::forced(ranksOfWorld(), "3").nodes());
  Harness<Types> harness({"3", grid, GatherKind::sharedWindow, LocalKind::automatic, 0, 4, 1 << 20}, 30, 30,
                         30, 3);
  const auto a = randomMatrix<double>(30, 30, 200, 1);
  harness.plan().windowBytes = 40;
  harness.expectRows(harness.multiply(a, a), Reference::product(a, a, true));
  EXPECT_EQ(harness.report().gather.rfind("allgatherv (", 0), 0U) << harness.report().gather;

  harness.plan().windowBytes = 0;
  harness.expectRows(harness.multiply(a, a), Reference::product(a, a, true));
  EXPECT_EQ(harness.report().gather, "shared window");
}

TEST(SharedWindow, grantsWhatThereIsRoomForAndKeepsWhatItHas) {
  if (!everyNodeSharesMemory("3")) GTEST_SKIP() << "a node of three ranks spans machines";
  auto& window = Context::of(MPI_COMM_WORLD, "3").attached<SharedWindow>();

  EXPECT_TRUE(window.reserve(1000));
  char* const data = window.data();
  EXPECT_FALSE(window.reserve(std::int64_t{1} << 55));

  EXPECT_EQ(window.data(), data);
  EXPECT_TRUE(window.reserve(10));
}

TEST(TiledProduct, disjointCommunicatorsMultiplyAtTheSameTime) {
  using Types = TileTypes<double, int, Device>;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  {
    Context& context = Context::of(half, "1");
    const int ranks = context.topology().ranks();
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks), 1);
    Plan plan;
    plan.grid = NodeGrid::nearlySquare(ranks);
    plan.source = TileSource::tiles;
    const auto space = [&](BlockOrder order) {
      return IndexSpace(context.topology(), plan.grid, counts, order);
    };
    const auto spacesHeld = std::make_shared<const ProductSpaces>(
        ProductSpaces{space(BlockOrder::bySlice), space(BlockOrder::bySlice), space(BlockOrder::byRank)});
    const ProductSpaces& spaces = *spacesHeld;
    // A diagonal matrix, one row a rank, squared as often as the other half does something else.
    for (int repeat = 0; repeat < 10 * (1 + rank % 2); ++repeat) {
      auto rowPtr = allocate<Types::Offsets>("rowPtr", 2);
      rowPtr(0) = 0;
      rowPtr(1) = 1;
      Types::Ordinals column("column", 1);
      auto value = allocate<Types::Values>("value", 1);
      value(0) = context.rank() + 2;
      Types::Ids id("id", 1);
      id(0) = spaces.inner.pieces()[spaces.inner.piecesOf(context.rank()).front()].start;
      Types::Ids columnId("columnId", 1);
      columnId(0) = spaces.columns.pieces()[spaces.columns.piecesOf(context.rank()).front()].start;
      TiledProduct<Types> product(context, plan, spacesHeld);
      const auto C = product.multiply({rowPtr, column, value, id}, {rowPtr, column, value, columnId}, {});
      double sum = 0;
      for (const auto& block : C)
        for (std::size_t e = 0; e < block.values.extent(0); ++e) sum += block.values(e);
      EXPECT_EQ(sum, (context.rank() + 2) * (context.rank() + 2));
    }
  }
  MPI_Comm_free(&half);
}

}  // namespace
