// Trident::MatrixMatrix::Multiply against Tpetra's and against the serial product, on sub-communicators of
// 1 to 16 ranks. Each test is one product under one layout; it runs two operations on two communicators, each
// under several topologies and engine settings. With TRIDENT_TEST_ALL set it runs every product under every
// layout, all four operations and eight communicators each: about ten times as much.

#include <gtest/gtest.h>

#include <Teuchos_DefaultComm.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "DifferentialCases.hpp"
#include "TestProducts.hpp"
#include "Trident_MatrixMatrix.hpp"
#include "multiply/Trident_ProductReport.hpp"

namespace Trident::Test {
namespace {

constexpr size_t minimumCombinations = 300;

/// What all tests share: communicators, made once, and the count of what was run.
class Sweep : public testing::Environment {
 public:
  static Sweep& instance() {
    static auto* sweep = new Sweep;  // GoogleTest deletes it
    return *sweep;
  }

  /// The first `ranks` ranks; null on the others. Collective over all ranks the first time.
  const Comm& subset(int ranks) {
    const auto found = subsets_.find(ranks);
    if (found != subsets_.end()) return found->second;
    std::vector<int> members(ranks);
    for (int r = 0; r < ranks; ++r) members[r] = r;
    return subsets_[ranks] = Tpetra::getDefaultComm()->createSubcommunicator(members);
  }

  void count(const std::string& combination, int ranks, bool tpetraAgrees) {
    combinations_.insert(combination);
    if (ranks > 1) parallel_.insert(combination);
    if (!tpetraAgrees) withoutTpetra_.insert(combination);
  }

  void TearDown() override {
    subsets_.clear();
    if (Tpetra::getDefaultComm()->getRank() != 0) return;
    std::cout << "combinations: " << combinations_.size() << ", on several ranks: " << parallel_.size()
              << ", where Tpetra itself is wrong or throws: " << withoutTpetra_.size() << std::endl;
    const bool all = testing::GTEST_FLAG(filter) == "*" && Tpetra::getDefaultComm()->getSize() >= 16;
    if (!all) return;
    EXPECT_GE(combinations_.size(), minimumCombinations);
    EXPECT_GE(2 * parallel_.size(), combinations_.size());
  }

 private:
  std::map<int, Comm> subsets_;
  std::set<std::string> combinations_, parallel_, withoutTpetra_;
};

/// The operands of one test on one communicator, and what their product must be.
struct Operands {
  Teuchos::RCP<Matrix> a, b, tpetra;
  Expected expected;
  ProductMaps maps;
  std::string tpetraTrouble;  ///< what is wrong with Tpetra's own result, which then judges nothing
};

Operands build(const Comm& comm, const ProductCase& product, const Layout& layout, const Op& op) {
  const auto axis = [&](std::int64_t size, Spread spread) {
    return Axis{size, spread, layout.offset, layout.stride};
  };
  const Axis rows = axis(product.rows, layout.rows), columns = axis(product.columns, layout.columns);
  const Axis domainOfA = axis(product.inner, layout.domainOfA), rowsOfB = axis(product.inner, layout.rowsOfB);
  const auto stored = [&](Shape shape, const Axis& m, const Axis& n, unsigned seed) {
    const auto range = layout.otherRange ? axis(m.size, Spread::cyclic).map(comm) : Teuchos::null;
    return buildMatrix(comm, shape, m, n, seed, layout.style, range);
  };
  Operands operands;
  operands.a = op.transposeA ? stored(product.a, domainOfA, rows, 1) : stored(product.a, rows, domainOfA, 1);
  operands.b = product.itself  ? operands.a
               : op.transposeB ? stored(product.b, columns, rowsOfB, 2)
                               : stored(product.b, rowsOfB, columns, 2);
  operands.expected = expectedProduct(*operands.a, *operands.b, op);
  operands.maps = productMaps(*operands.a, *operands.b, op);
  return operands;
}

bool onAnyRank(const Comm& comm, bool here) {
  int any = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, mpiComm(comm));
  return any != 0;
}

/// Stock Tpetra reads outside its arrays unless op(A)'s domain map is op(B)'s row map: it takes A's importer
/// for one that fetches rows of B.
bool tpetraServes(const Operands& operands, const Op& op) {
  const auto& a = *operands.a;
  const auto& b = *operands.b;
  const auto innerOfA = op.transposeA ? a.getRangeMap() : a.getDomainMap();
  const auto innerOfB = op.transposeB ? b.getDomainMap() : b.getRowMap();
  return innerOfA->isSameAs(*innerOfB);
}

void multiplyByTpetra(const Comm& comm, const Op& op, Operands& operands) {
  std::string trouble;
  if (!tpetraServes(operands, op)) {
    operands.tpetraTrouble = "Tpetra: needs equal inner maps";
    return;
  }
  operands.tpetra = Teuchos::rcp(new Matrix(operands.maps.row, 0));
  try {
    Tpetra::MatrixMatrix::Multiply(*operands.a, op.transposeA, *operands.b, op.transposeB, *operands.tpetra);
    trouble = differenceToReference(*operands.tpetra, operands.expected);
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  if (onAnyRank(comm, !trouble.empty())) operands.tpetraTrouble = "Tpetra: " + trouble;
}

/// The nodes that "ranks per node" makes of a communicator.
std::vector<int> nodesOf(const TopologyCase& topology) {
  std::vector<int> list, sizes;
  std::istringstream text(topology.perNode);
  for (std::string item; std::getline(text, item, ',');) list.push_back(std::stoi(item));
  for (int left = topology.ranks; left > 0; left -= sizes.back()) {
    sizes.push_back(std::min(left, list[sizes.size() % list.size()]));
  }
  return sizes;
}

struct Setting {
  TopologyCase topology;
  TilesCase tiles;
  EngineCase engine;
  bool globalConstants;

  /// Grid and filter are the plan's to choose: on the topologies for Nx1 whose filter is "auto".
  bool open() const {
    const std::string grid = topology.grid;
    return tiles.filter == std::string("auto") && grid.substr(grid.size() - 2) == "x1";
  }
};

/// What the report says of grid and tiles, and what it should say.
std::string wrongTiles(const ProductReport& report, const Setting& setting) {
  const std::string filter = setting.tiles.filter, source = setting.tiles.source;
  std::ostringstream grid, wrong;
  grid << report.grid;
  if (report.source != (source == "auto" ? "owners" : source))
    wrong << "tiles from " << report.source << "; ";
  if (setting.open()) return wrong.str();
  if (grid.str() != setting.topology.grid) wrong << "report's grid is " << grid.str() << "; ";
  if (report.filter != (filter == "auto" ? "whole" : filter)) wrong << "filter was " << report.filter << "; ";
  return wrong.str();
}

std::string wrongReport(const ProductReport& report, const Setting& setting) {
  const TopologyCase& topology = setting.topology;
  const EngineCase& engine = setting.engine;
  const auto nodes = nodesOf(topology);
  std::ostringstream wrong;
  if (report.handedBack && topology.ranks > 1)
    wrong << "handed back to Tpetra: " << report.handBackReason << "; ";
  if (report.handedBack) return wrong.str();
  if (report.ranks != topology.ranks) wrong << "report says " << report.ranks << " ranks; ";
  if (report.ranksPerNode != nodes) wrong << "report's ranks per node differ; ";
  wrong << wrongTiles(report, setting);
  const std::string local = engine.local;
  if (local != "auto" && report.localProduct != local)
    wrong << "local product was " << report.localProduct << "; ";
  const std::string avoided = engine.gather == std::string("allgatherv") ? "shared window" : "allgatherv";
  const bool chosen = engine.gather != std::string("auto");
  if (chosen && report.gather.rfind(avoided, 0) == 0) wrong << "gather was " << report.gather << "; ";
  return wrong.str();
}

Teuchos::RCP<Teuchos::ParameterList> parameters(const Setting& setting,
                                                const Teuchos::RCP<ProductReport>& report) {
  auto params = Teuchos::parameterList();
  params->set("trident: ranks per node", std::string(setting.topology.perNode));
  params->set("trident: filter", std::string(setting.tiles.filter));
  params->set("trident: tiles from", std::string(setting.tiles.source));
  if (!setting.open()) params->set("trident: grid", std::string(setting.topology.grid));
  params->set("trident: gather", std::string(setting.engine.gather));
  params->set("trident: local product", std::string(setting.engine.local));
  params->set("trident: rounds per batch", setting.engine.batch);
  params->set("trident: rounds ahead", setting.engine.ahead);
  if (setting.engine.panels > 0) params->set("trident: panels", setting.engine.panels);
  if (setting.engine.maxMessage > 0) params->set("trident: max message bytes", setting.engine.maxMessage);
  params->set("trident: report", report);
  if (!setting.globalConstants) params->set("compute global constants", false);
  return params;
}

std::string nameOf(const Setting& setting) {
  std::ostringstream text;
  const auto& e = setting.engine;
  text << setting.topology.ranks << " ranks as nodes of " << setting.topology.perNode << ", grid "
       << (setting.open() ? "open" : setting.topology.grid) << ", filter " << setting.tiles.filter
       << ", tiles from " << setting.tiles.source << ", gather " << e.gather << ", local product " << e.local
       << ", rounds per batch " << e.batch << ", rounds ahead " << e.ahead << ", panels " << e.panels
       << ", max message bytes " << e.maxMessage << ", global constants " << setting.globalConstants;
  return text.str();
}

/// One product by Trident and all checks of it. What is wrong, or nothing.
std::string checkOne(const Comm& comm, const Operands& operands, const Op& op, const Setting& setting) {
  const auto report = Teuchos::rcp(new ProductReport);
  Matrix c(operands.maps.row, 0);
  std::string wrong;
  try {
    MatrixMatrix::Multiply(*operands.a, op.transposeA, *operands.b, op.transposeB, c, true, "test",
                           parameters(setting, report));
  } catch (const std::exception& error) {
    wrong = std::string("threw ") + error.what();
  }
  if (onAnyRank(comm, !wrong.empty() || !c.isFillComplete())) {
    return wrong.empty() ? "threw on another rank, or C is not complete" : wrong;
  }
  wrong = differenceToReference(c, operands.expected);
  if (wrong.empty() && operands.tpetraTrouble.empty()) {
    wrong = differenceTo(*operands.tpetra, c, &operands.expected);
    if (!wrong.empty()) wrong = "unlike Tpetra's result: " + wrong;
  }
  if (!wrong.empty()) wrong += "; ";
  wrong += brokenPromises(c, operands.maps, {setting.globalConstants});
  wrong += wrongReport(*report, setting);
  const bool counted = !setting.globalConstants || static_cast<std::int64_t>(c.getGlobalNumEntries()) ==
                                                       operands.expected.product.entries();
  if (!counted) wrong += "the global number of entries is wrong; ";
  return wrong + wrongApply(c, operands.expected);
}

/// Product and layout of one test, as indices into the tables.
struct Case {
  int product, layout;
};

bool everything() { return std::getenv("TRIDENT_TEST_ALL") != nullptr; }

std::vector<Case> chosenCases() {
  std::vector<Case> cases;
  for (int p = 0; p < static_cast<int>(productCases.size()); ++p) {
    for (int l = 0; l < static_cast<int>(layouts.size()); ++l) {
      if (everything() || (p + 3 * l) % 5 == 0) cases.push_back({p, l});
    }
  }
  return cases;
}

class Differential : public testing::TestWithParam<Case> {};

TEST_P(Differential, EqualsTpetraAndReference) {
  const auto& product = productCases[GetParam().product];
  const auto& layout = layouts[GetParam().layout];
  const int number = GetParam().product * static_cast<int>(layouts.size()) + GetParam().layout;
  static const int sizes[] = {16, 4, 9, 6, 12, 3, 8, 2, 13, 5, 10, 15, 7, 1};

  for (int turn = 0; turn < (everything() ? 8 : 2); ++turn) {
    const int ranks = sizes[(number * 2 / 5 + 7 * turn + turn / 2) % 14];
    const int kind = everything() ? turn % 4 : turn * (1 + number % 3);
    const Op op{(kind & 1) != 0, (kind & 2) != 0};
    if (ranks > Tpetra::getDefaultComm()->getSize()) continue;
    const Comm comm = Sweep::instance().subset(ranks);
    if (comm.is_null()) continue;

    auto operands = build(comm, product, layout, op);
    multiplyByTpetra(comm, op, operands);
    int step = number + 3 * GetParam().product + turn;  // coprime steps: every setting meets every layout
    for (const auto& topology : topologyCases) {
      if (topology.ranks != ranks) continue;
      const int settings = topology.grid == std::string("1x1") ? 1 : 2;
      for (int k = 0; k < settings; ++k, ++step) {
        const Setting setting{topology, tilesCases[step % tilesCases.size()],
                              engineCases[step % engineCases.size()], step % 4 != 3};
        const auto combination =
            std::string(product.name) + ' ' + layout.name + ' ' + name(op) + ", " + nameOf(setting);
        EXPECT_EQ(checkOne(comm, operands, op, setting), "") << combination << '\n' << operands.tpetraTrouble;
        Sweep::instance().count(combination, ranks, operands.tpetraTrouble.empty());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Differential, testing::ValuesIn(chosenCases()), [](const auto& chosen) {
  return std::string(productCases[chosen.param.product].name) + '_' + layouts[chosen.param.layout].name;
});

const auto* const environment = testing::AddGlobalTestEnvironment(&Sweep::instance());

}  // namespace
}  // namespace Trident::Test
