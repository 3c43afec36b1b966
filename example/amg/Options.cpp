#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <ostream>

namespace Amg {

std::optional<int> parseCommandLine(int argc, const char* const* argv, Options& options, std::ostream& out,
                                    std::ostream& err) {
  CLI::App app("Solves with CG and MueLu, set up with Tpetra's products and with Trident's.", "trident-amg");
  app.add_option("--problem", options.problem,
                 "laplace: 7 points; elasticity: 3 unknowns a node; graph: --matrix")
      ->check(CLI::IsMember({"laplace", "elasticity", "graph"}))
      ->capture_default_str();
  app.add_option("-n,--size", options.size, "points along each axis of the cube")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  app.add_option("-m,--matrix", options.matrix,
                 "file whose largest connected component gives the Laplacian of --problem graph")
      ->capture_default_str();
  app.add_option(
      "--ranks-per-node", options.ranksPerNode,
      "emulated nodes of consecutive ranks, e.g. 2 (default: TRIDENT_RANKS_PER_NODE, or the real nodes)");
  app.add_option("--plan", options.plan, "\"trident: plan\" of all products, e.g. grid=2x2");
  app.add_option("--algorithm", options.algorithm, "multigrid algorithm: sa, unsmoothed")
      ->check(CLI::IsMember({"sa", "unsmoothed"}))
      ->capture_default_str();
  app.add_option("--reuse", options.reuse, "reuse: type; other than none, a second set-up is timed too")
      ->check(CLI::IsMember({"none", "S", "tP", "RP", "RAP"}))
      ->capture_default_str();
  app.add_flag("--implicit-transpose", options.implicitTranspose, "R is not formed");
  app.add_flag("--triple-product", options.tripleProduct, "stock multiplies R*A*P at once too")
      ->needs("--implicit-transpose");
  app.add_flag("--repartition", options.repartition, "coarse levels move to fewer ranks (Zoltan2)");
  app.add_option("--min-rows", options.minRowsPerRank, "rows a rank that --repartition aims at")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  app.add_option("--coarse-size", options.coarseSize, "most rows of the coarsest level")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--tolerance", options.tolerance, "of CG")->capture_default_str();
  app.add_option("--repeat", options.repeat, "set-ups of each, in turns; the medians are printed")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e, out, err) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

}  // namespace Amg
