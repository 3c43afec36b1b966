#ifndef TRIDENT_PREDICT_OPTIONS_HPP
#define TRIDENT_PREDICT_OPTIONS_HPP

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "Prediction.hpp"
#include "plan/Trident_CostModel.hpp"

namespace Predict {

/// A square matrix with d entries a row at uniformly random places.
struct RandomMatrix {
  double rows = 0;         ///< n
  double entriesARow = 0;  ///< d
  double growth = 0;       ///< c = nnz(C)/nnz
};

/// The command line.
struct Options {
  std::string matrix;  ///< file name, or empty
  std::string random;  ///< as given, or empty
  RandomMatrix randomMatrix;
  std::string op = "AA";
  std::string symmetricDuplicates = "reject";

  std::vector<int> nodes;
  std::vector<int> ranksPerNode;
  std::string machineName = "perlmutter-gpu";
  Trident::Machine machine{};  ///< the preset, changed as the options say
  Setting setting;
  bool json = false;
};

/// Reads the command line into `options`. Returns the exit status when the program ends here: 0 after --help,
/// 2 for a bad command line; the text goes to `out` or `err`.
std::optional<int> parseCommandLine(int argc, const char* const* argv, Options& options, std::ostream& out,
                                    std::ostream& err);

/// Reads "n=1e6,d=10,c=5"; without c it is what a product of such matrices is expected to have. Throws
/// std::invalid_argument saying what was found and what is allowed.
RandomMatrix parseRandomMatrix(const std::string& text);

}  // namespace Predict

#endif
