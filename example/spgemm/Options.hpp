#ifndef TRIDENT_SPGEMM_OPTIONS_HPP
#define TRIDENT_SPGEMM_OPTIONS_HPP

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

namespace Spgemm {

/// The command line. What is left empty is decided by Trident.
struct Options {
  std::string matrix;    ///< file name, or empty when the matrix is generated
  std::string generate;  ///< e.g. "er:n=100000,d=10,seed=1"
  std::string op = "AA";
  std::int64_t aggregate = 8;
  std::string symmetricDuplicates = "reject";

  std::string grid;
  std::string ranksPerNode;
  std::string filter;
  std::string tilesFrom;
  std::string gather;
  std::string local;
  std::optional<int> roundsPerBatch;
  std::optional<int> roundsAhead;
  std::optional<int> delaySeed;
  std::optional<int> columnPhases;
  std::string memoryBudget;
  std::string plan;

  bool compareTpetra = false;
  bool valuesOnly = false;  ///< time the product again with what it kept
  int repeat = 3;
  bool json = false;

  /// The file or the generator, as the user gave it.
  const std::string& matrixName() const { return matrix.empty() ? generate : matrix; }
};

/// Reads the command line into `options`. Returns the exit status when the program ends here: 0 after --help,
/// 2 for a bad command line; the text goes to `out` or `err`.
std::optional<int> parseCommandLine(int argc, const char* const* argv, Options& options, std::ostream& out,
                                    std::ostream& err);

}  // namespace Spgemm

#endif
