// One product of the engine, in which something goes wrong if asked for; tstFaults.py looks at what becomes
// of the job. usage: faulty_product KEY=VALUE..., see `options` below.
#include <cstdio>
#include <map>

#include "TestTiledProduct.hpp"
#include "exchange/Trident_TraceFile.hpp"
#include "observe/Trident_FailingTogether.hpp"

namespace {

using namespace Trident;
using namespace Trident::EngineTest;
using Types = TileTypes<double, int, Device>;

std::map<std::string, std::string> options{
    {"engine", "scheduled"},  // or requests, messages
    {"thread", "multiple"},   // or single: the level MPI is started with
    {"nodes", "1"},           // node sizes
    {"rows", "0"},            // of the grid; 0: all nodes in one column
    {"overlap", "on"},       {"ahead", "4"},     {"batch", "0"},  {"gather", "window"},  // or allgatherv
    {"size", "60"},          {"entries", "900"}, {"repeat", "1"}, {"withhold", "-1"},
    {"unpack", "-1"},        {"die", "-1"},      {"fail", "-1"},  // ranks
    {"throw", "-1"},         {"alone", "-1"},                     // in a round; before the product
    {"round", "0"},                                               // seconds each round takes
    {"slow", "-1"},                                               // the node that takes twice as long
};

int number(const char* key) { return std::stoi(options.at(key)); }

void configure(Plan& plan) {
  const std::string& engine = options.at("engine");
  plan.engine = engine == "scheduled"  ? EngineKind::scheduled
                : engine == "messages" ? EngineKind::requestMessages
                                       : EngineKind::requests;
  plan.overlap = options.at("overlap") == "on" ? Overlap::on : Overlap::off;
  plan.productsPerPiece = 50;
  plan.faults.withholdingRank = number("withhold");
  plan.faults.unpackingRank = number("unpack");
  plan.faults.dyingRank = number("die");
  plan.faults.failingRank = number("fail");
  plan.faults.throwingRank = number("throw");
  plan.faults.slowNode = number("slow");
  plan.faults.roundSeconds = std::stod(options.at("round"));
}

template <class Rows>
bool isRight(const Rows& C, const Reference::Matrix<double>& expected) {
  double sum = 0, wanted = 0;
  for (const auto& block : C)
    for (std::size_t e = 0; e < block.values.extent(0); ++e) sum += block.values(e) * block.values(e);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (const auto& [i, row] : expected.row)
    for (const auto& [j, value] : row) wanted += value * value;
  return sum == wanted;  // small integers
}

// One rank throws, or all (-2); -1: none.
void failTogetherOrAlone(int rank, int failing) {
  if (failing == -1) return;
  failingTogether(MPI_COMM_WORLD, [&] {
    if (failing == -2 || failing == rank) throw std::runtime_error("lost on rank " + std::to_string(rank));
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

int run() {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string& sizes = options.at("nodes");
  const int nodes = Topology::forced(ranks, sizes).nodes();
  const int rows = number("rows") > 0 ? number("rows") : nodes;
  const Setting setting{sizes,
                        {rows, nodes / rows},
                        options.at("gather") == "window" ? GatherKind::sharedWindow : GatherKind::allgatherv,
                        LocalKind::host,
                        number("batch"),
                        number("ahead"),
                        1 << 20,
                        TileFilter::whole,
                        TileSource::owners};
  const int size = number("size");
  Harness<Types> harness(setting, size, size, size, 5);  // every rank has rows of B
  configure(harness.plan());
  const auto a = randomMatrix<double>(size, size, number("entries"), 5);
  const auto expected = Reference::product(a, a, true);
  failTogetherOrAlone(rank, number("alone"));
  for (int repeat = 0; repeat < number("repeat"); ++repeat) {
    const std::string& engine = harness.report().engine;
    const ObservedProduct observed(Context::of(MPI_COMM_WORLD, sizes), engine);
    const bool right = isRight(harness.multiply(a, a), expected);
    if (rank == 0)
      std::printf("engine: %s\ngather: %s\nproduct: %s\n", engine.c_str(), harness.report().gather.c_str(),
                  right ? "right" : "wrong");
  }
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  for (int a = 1; a < argc; ++a) {
    const std::string text = argv[a];
    const auto equals = text.find('=');
    if (equals == std::string::npos || options.count(text.substr(0, equals)) == 0) {
      std::fprintf(stderr, "unknown option %s\n", argv[a]);
      return 2;
    }
    options[text.substr(0, equals)] = text.substr(equals + 1);
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, options["thread"] == "single" ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                  &provided);
  int status = 1;
  try {
    const Kokkos::ScopeGuard guard(argc, argv);
    status = run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "caught: %s\n", error.what());
  }
  MPI_Finalize();
  return status;
}
