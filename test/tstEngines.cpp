// Every engine does every product, and what is delayed, cut, asked for or multiplied when does not show in a
// bit of the result.
#include <algorithm>
#include <cstdlib>

#include "TestTiledProduct.hpp"

namespace {

using namespace Trident;
using namespace Trident::EngineTest;
using Types = TileTypes<double, int, Device>;
using Rows = std::vector<BlockOfRows<Types>>;

const EngineKind allEngines[] = {EngineKind::scheduled, EngineKind::requests, EngineKind::requestMessages,
                                 EngineKind::bulkSynchronous};

int ranksOfWorld() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

Reference::Matrix<double> realMatrix(std::int64_t rows, std::int64_t columns, std::int64_t entries,
                                     unsigned seed) {
  auto matrix = randomMatrix<double>(rows, columns, entries, seed);
  for (auto& [i, row] : matrix.row)
    for (auto& [j, value] : row) value = (value + 0.1) / (3 + static_cast<double>((i * 7 + j) % 17));
  return matrix;
}

bool sameBits(const Rows& a, const Rows& b) {
  const auto same = [](const auto& x, const auto& y) {
    using Element = typename std::decay_t<decltype(x)>::non_const_value_type;
    return x.extent(0) == y.extent(0) &&
           (x.extent(0) == 0 || std::memcmp(x.data(), y.data(), x.extent(0) * sizeof(Element)) == 0);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return same(x.rowPtr, y.rowPtr) && same(x.columns, y.columns) && same(x.values, y.values);
  });
}

class Engines : public testing::TestWithParam<EngineKind> {};

TEST_P(Engines, doEveryProductOnEveryGrid) {
  unsigned seed = 0;
  for (const char* nodes : {"1", "2", "1,2", "100"}) {
    const int count = Topology::forced(ranksOfWorld(), nodes).nodes();
    for (int rows = 1; rows <= count; ++rows) {
      if (count % rows != 0) continue;
      for (const auto source : {TileSource::owners, TileSource::tiles})
        for (const auto filter : {TileFilter::whole, TileFilter::needed})
          for (const auto overlap : {Overlap::on, Overlap::off}) {
            ++seed;
            const NodeGrid grid{rows, count / rows};
            const auto gather = seed % 2 == 0 ? GatherKind::sharedWindow : GatherKind::allgatherv;
            Harness<Types> harness({nodes, grid, gather, LocalKind::host, static_cast<int>(seed % 3),
                                    static_cast<int>(seed % 4), seed % 5 == 0 ? 64 : 1 << 20, filter, source},
                                   47, 53, 41, seed);
            harness.plan().engine = GetParam();
            harness.plan().overlap = overlap;
            harness.plan().productsPerPiece = 20;
            harness.plan().panels = overlap == Overlap::off ? 1 + static_cast<int>(seed / 2 % 4) : 1;
            SCOPED_TRACE(std::string(nodes) + " nodes, grid " + std::to_string(rows) + " rows, " +
                         name(filter) + " from " + name(source) + ", overlap " + name(overlap) + ", panels " +
                         std::to_string(harness.plan().panels));
            const auto a = randomMatrix<double>(47, 53, 160, seed);
            const auto b = randomMatrix<double>(53, 41, 210, seed + 7);
            harness.expectRows(harness.multiply(a, b), Reference::product(a, b, true));
            harness.expectLedgerAsPredicted();
            harness.expectValuesOnly(a, b, scaled(a, 3), scaled(b, -2));
          }
    }
  }
}

TEST_P(Engines, takeTilesWithoutEntries) {
  const int nodes = Topology::forced(ranksOfWorld(), "2").nodes();
  for (const NodeGrid& grid : {NodeGrid{nodes, 1}, NodeGrid::nearlySquare(nodes)})
    for (const std::int64_t entries : {0, 1, 3}) {
      Harness<Types> harness({"2", grid, GatherKind::automatic, LocalKind::host, 0, 4, 1 << 20}, 30, 30, 30,
                             3);
      harness.plan().engine = GetParam();
      harness.plan().overlap = Overlap::on;
      const auto a = randomMatrix<double>(30, 30, 60, 1);
      const auto b = randomMatrix<double>(30, 30, entries, 2);
      harness.expectRows(harness.multiply(a, b), Reference::product(a, b, true));
      harness.expectRows(harness.multiply(b, a), Reference::product(b, a, true));
    }
}

TEST_P(Engines, oneRanksFailureIsThrownByAllAndTheNextProductWorks) {
  const int nodes = Topology::forced(ranksOfWorld(), "2").nodes();
  for (const NodeGrid& grid : {NodeGrid{nodes, 1}, NodeGrid::nearlySquare(nodes)})
    for (const bool packing : {false, true}) {
      if (packing && nodes == 1) continue;
      Harness<Types> harness({"2", grid, GatherKind::automatic, LocalKind::host, 0, 1, 1 << 20,
                              TileFilter::needed, TileSource::owners},
                             30, 30, 30, 4);
      harness.plan().engine = GetParam();
      harness.plan().overlap = Overlap::on;
      const auto a = randomMatrix<double>(30, 30, 400, 1);
      Faults& faults = harness.plan().faults;
      (packing ? faults.unpackingRank : faults.failingRank) = ranksOfWorld() - 1;
      try {
        harness.multiply(a, a);
        FAIL() << "nothing thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("on rank " + std::to_string(ranksOfWorld() - 1)),
                  std::string::npos)
            << error.what();
      }
      faults = Faults();
      harness.expectRows(harness.multiply(a, a), Reference::product(a, a, true));
    }
}

INSTANTIATE_TEST_SUITE_P(All, Engines, testing::ValuesIn(allEngines), [](const auto& instance) {
  std::string text = Trident::name(instance.param);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
});

// One way of doing a product, drawn from a seed. The first part decides the order of summation.
struct Draw {
  Setting setting;
  Overlap overlap;
  EngineKind engine;
  std::int64_t productsPerPiece;
  int panels;
  std::int64_t windowBytes;
  int delaySeed;
  unsigned matrices;

  Draw(unsigned seed, int ranks) {
    std::mt19937 random(seed);
    const auto draw = [&random](int count) {
      return static_cast<int>(random() % static_cast<unsigned>(count));
    };
    const char* const sizes[] = {"1", "2", "3", "1,2", "4"};
    setting.nodes = sizes[draw(5)];
    const int nodes = Topology::forced(ranks, setting.nodes).nodes();
    std::vector<NodeGrid> grids;
    for (int rows = 1; rows <= nodes; ++rows)
      if (nodes % rows == 0) grids.push_back({rows, nodes / rows});
    setting.grid = grids[static_cast<std::size_t>(draw(static_cast<int>(grids.size())))];
    setting.filter = draw(2) == 0 ? TileFilter::whole : TileFilter::needed;
    setting.source = draw(2) == 0 ? TileSource::owners : TileSource::tiles;
    setting.local = LocalKind::host;
    overlap = draw(4) == 0 ? Overlap::off : Overlap::on;
    matrices = static_cast<unsigned>(draw(6));
    setting.gather = draw(2) == 0 ? GatherKind::sharedWindow : GatherKind::allgatherv;
    setting.roundsPerBatch = overlap == Overlap::on ? draw(4) : 0;
    setting.roundsAhead = draw(5);
    setting.maxMessageBytes = draw(3) == 0 ? 64 : 1 << 20;
    engine = allEngines[draw(4)];
    productsPerPiece = 1 + draw(200);
    panels = draw(2) == 0 ? 1 : 2 + draw(draw(4) == 0 ? 99 : 5);
    // Without overlap the cut into batches shows in the order of summation.
    windowBytes = overlap == Overlap::on && draw(3) == 0 ? 2000 + 100 * draw(80) : 0;
    delaySeed = 1 + draw(1000000);
  }

  Rows multiply(bool plain) const {
    Setting how = setting;
    if (plain) how.roundsPerBatch = 0;
    Harness<Types> harness(how, 60, 50, 70, matrices);
    Plan& plan = harness.plan();
    plan.overlap = overlap;
    plan.engine = plain ? EngineKind::scheduled : engine;
    plan.productsPerPiece = productsPerPiece;
    plan.panels = plain ? 1 : panels;
    plan.windowBytes = plain ? 0 : windowBytes;
    plan.delaySeed = plain ? 0 : delaySeed;
    const auto a = realMatrix(60, 50, 100 + 100 * matrices, matrices);
    const auto b = realMatrix(50, 70, 400, matrices + 10);
    const Rows C = harness.multiply(a, b);
    if (plain) expectRightPattern(C, harness, Reference::product(a, b, true));
    return C;
  }

  static void expectRightPattern(const Rows& C, const Harness<Types>&,
                                 const Reference::Matrix<double>& expected) {
    std::int64_t entries = 0, wanted = 0;
    for (const auto& block : C) entries += static_cast<std::int64_t>(block.columns.extent(0));
    MPI_Allreduce(MPI_IN_PLACE, &entries, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (const auto& [i, row] : expected.row) wanted += static_cast<std::int64_t>(row.size());
    EXPECT_EQ(entries, wanted);
  }
};

// TRIDENT_FUZZ_SEEDS=first:count
TEST(Schedules, randomDelaysEnginesAndCutsDoNotChangeABit) {
  unsigned first = 0, count = 60;
  if (const char* seeds = std::getenv("TRIDENT_FUZZ_SEEDS"); seeds != nullptr) {
    char* end = nullptr;
    first = static_cast<unsigned>(std::strtoul(seeds, &end, 10));
    if (*end == ':') count = static_cast<unsigned>(std::strtoul(end + 1, nullptr, 10));
  }
  for (unsigned seed = first; seed < first + count; ++seed) {
    const Draw draw(seed, ranksOfWorld());
    const Rows plain = draw.multiply(true);
    EXPECT_TRUE(sameBits(draw.multiply(false), plain))
        << "seed " << seed << ": nodes of " << draw.setting.nodes << ", grid " << draw.setting.grid.rows
        << "x" << draw.setting.grid.cols << ", engine " << name(draw.engine) << ", overlap "
        << name(draw.overlap) << ", panels " << draw.panels;
  }
}

}  // namespace
