#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <map>

#include "Cases.hpp"
#include "Contender.hpp"

namespace Bench {

std::optional<int> parseCommandLine(int argc, const char* const* argv, Options& options) {
  CLI::App app(
      "Times local sparse products on one rank: Trident's, hypre's, Trident's and Tpetra's Multiply.",
      "trident-bench-local");
  app.add_option("--case", options.cases, "cases to run (default: all)")->check(CLI::IsMember(caseNames()));
  app.add_option("--only", options.only, "contenders to run (default: all)")
      ->check(CLI::IsMember({Names::host, Names::kokkosKernels, Names::hypreParMatmul, Names::hypreMatMat,
                             Names::trident, Names::tpetra}));
  app.add_option("--repeat", options.repeat, "timed runs of each, after one to warm up")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  const std::map<std::string, Clock> clocks{{"wall", Clock::wall}, {"cpu", Clock::cpu}};
  app.add_option("--clock", options.clock, "wall, or cpu: time of this process, for a machine under load")
      ->transform(CLI::CheckedTransformer(clocks, CLI::ignore_case))
      ->option_text("wall|cpu [wall]");
  app.add_flag("--check", options.check, "exit with 1 when a limit is missed on er100k or stencil27");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

}  // namespace Bench
