#ifndef TRIDENT_AMG_OPTIONS_HPP
#define TRIDENT_AMG_OPTIONS_HPP

#include <iosfwd>
#include <optional>
#include <string>

namespace Amg {

/// The command line.
struct Options {
  std::string problem = "laplace";                        ///< laplace, elasticity or graph
  int size = 40;                                          ///< points along each axis of the cube
  std::string matrix = "example/data/coexpr_ALL.mtx.gz";  ///< whose graph to take

  std::string ranksPerNode;
  std::string plan;
  std::string algorithm = "sa";
  std::string reuse = "none";  ///< MueLu's "reuse: type"; not none: a second set-up is timed too
  bool implicitTranspose = false;
  bool tripleProduct = false;  ///< for both; only where R is implicit, as stock MueLu needs it
  bool repartition = false;
  int minRowsPerRank = 800;
  int coarseSize = 200;
  double tolerance = 1e-8;
  int repeat = 5;
};

/// Reads the command line into `options`. Returns the exit status when the program ends here: 0 after --help,
/// 2 for a bad command line; the text goes to `out` or `err`.
std::optional<int> parseCommandLine(int argc, const char* const* argv, Options& options, std::ostream& out,
                                    std::ostream& err);

}  // namespace Amg

#endif
