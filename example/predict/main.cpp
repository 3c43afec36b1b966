// Predicts bytes, messages, memory and time of a sparse product for every grid of nodes, from a matrix file
// or for a random matrix, without MPI. README.md shows what it prints.
//
// Exit status: 0; 2 for a bad command line or file.

#include <iostream>
#include <optional>
#include <vector>

#include "Candidates.hpp"
#include "Options.hpp"
#include "RandomModel.hpp"
#include "Report.hpp"

namespace Predict {

namespace {

/// Every number of nodes with every number of ranks a node; `makeCase` tells what the candidates cost.
template <class MakeCase>
std::vector<Case> casesOf(const Options& options, const MakeCase& makeCase) {
  std::vector<Case> cases;
  for (const int nodes : options.nodes)
    for (const int ranksPerNode : options.ranksPerNode) {
      cases.push_back(makeCase(nodes, ranksPerNode));
      rank(cases.back(), options.machine);
    }
  return cases;
}

void print(const Options& options, const Sizes& sizes, const std::vector<Case>& cases) {
  (options.json ? printJson : printText)(std::cout, options, sizes, cases);
}

int run(int argc, const char* const* argv) {
  Options options;
  const std::optional<int> status = parseCommandLine(argc, argv, options, std::cout, std::cerr);
  if (status) return *status;
  if (options.matrix.empty()) {
    const RandomMatrix& matrix = options.randomMatrix;
    print(options, sizesOf(matrix), casesOf(options, [&](int nodes, int ranksPerNode) {
            return expectCase(matrix, nodes, ranksPerNode, options.setting);
          }));
    return 0;
  }
  const Problem problem = readProblem(options);
  print(options, sizesOf(problem), casesOf(options, [&](int nodes, int ranksPerNode) {
          return countCase(problem, nodes, ranksPerNode, options.setting);
        }));
  return 0;
}

}  // namespace

}  // namespace Predict

int main(int argc, char** argv) {
  try {
    return Predict::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "trident-predict: " << e.what() << '\n';
    return 2;
  }
}
