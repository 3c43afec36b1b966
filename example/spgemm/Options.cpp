#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <limits>
#include <ostream>

namespace Spgemm {

namespace {

void addMatrixOptions(CLI::App& app, Options& options) {
  auto* file = app.add_option("matrix,-m,--matrix", options.matrix,
                              "MatrixMarket file or edge list (.abc: mcl's labels), plain or gzip");
  auto* generate = app.add_option("-g,--generate", options.generate,
                                  "er:n=100000,d=10,seed=1 | rmat:scale=14,d=8,seed=1 | stencil7:48 | "
                                  "stencil27:48,32,16");
  file->excludes(generate);
  app.add_option("--op", options.op, "AA: A*A; AAt: A*transpose(A); AP: A*P, P aggregates neighbours")
      ->check(CLI::IsMember({"AA", "AAt", "AP"}))
      ->capture_default_str();
  app.add_option("--aggregate", options.aggregate, "rows per aggregate of P in --op AP")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()))
      ->capture_default_str();
  app.add_option("--symmetric-duplicates", options.symmetricDuplicates,
                 "when a symmetric file holds both (i,j) and (j,i)")
      ->check(CLI::IsMember({"reject", "sum", "max"}))
      ->capture_default_str();
}

void addPlanOptions(CLI::App& app, Options& options) {
  app.add_option("--grid", options.grid, "nodes as rows x columns, e.g. 2x2 (default: chosen)");
  app.add_option("--ranks-per-node", options.ranksPerNode,
                 "emulated nodes of consecutive ranks: one size, or one for each node, e.g. 3,5,4 "
                 "(default: TRIDENT_RANKS_PER_NODE, or the real nodes)");
  app.add_option("--filter", options.filter, "rows of B's tiles that travel: auto, whole, needed");
  app.add_option("--tiles-from", options.tilesFrom, "where the rounds fetch from: auto, owners, tiles");
  app.add_option("--gather", options.gather,
                 "how a node gathers a tile of B: auto, shared window, allgatherv");
  app.add_option("--local", options.local, "local product: auto, host, kokkoskernels");
  app.add_option("--plan", options.plan, "parts of the plan in one string, or tpetra");
  app.add_option("--memory-budget", options.memoryBudget,
                 "most memory a rank may take beside A and B, e.g. 512M, 25%");
  app.add_option("--column-phases", options.columnPhases, "runs of columns computed one after the other");
  app.add_option("--rounds-per-batch", options.roundsPerBatch,
                 "rounds multiplied in one pass, 0: as memory allows");
  app.add_option("--rounds-ahead", options.roundsAhead, "rounds whose tiles are asked for ahead");
  app.add_option("--delay-seed", options.delaySeed, "delay ranks at random, to test that it changes no bit");
}

void addOutputOptions(CLI::App& app, Options& options, std::string& compare) {
  app.add_option("--compare", compare, "also multiply with Tpetra and compare: tpetra, none")
      ->check(CLI::IsMember({"tpetra", "none"}))
      ->capture_default_str();
  app.add_flag("--values-only", options.valuesOnly, "also time the product again with the patterns it kept");
  app.add_option("--repeat", options.repeat, "runs of each; the medians are printed")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_flag("--json", options.json, "print one JSON object instead of text");
}

}  // namespace

std::optional<int> parseCommandLine(int argc, const char* const* argv, Options& options, std::ostream& out,
                                    std::ostream& err) {
  CLI::App app("Multiplies sparse matrices with Trident and, with --compare tpetra, with Tpetra.",
               "trident-spgemm");
  std::string compare = "none";
  addMatrixOptions(app, options);
  addPlanOptions(app, options);
  addOutputOptions(app, options, compare);
  try {
    app.parse(argc, argv);
    if (options.matrixName().empty()) throw CLI::RequiredError("A matrix, as a file or with --generate,");
  } catch (const CLI::ParseError& e) {
    return app.exit(e, out, err) == 0 ? 0 : 2;
  }
  options.compareTpetra = compare == "tpetra";
  return std::nullopt;
}

}  // namespace Spgemm
