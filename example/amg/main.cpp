// Sets up MueLu for a problem with Tpetra's products and with Trident's and solves with both:
//
//     mpirun -np 4 --oversubscribe build/bin/trident-amg -n 48 --ranks-per-node 2 --reuse tP
//
// printed on a machine of 2 cores (times depend on it, the rest does not)
//
//     Laplace3D on a cube of 48 points a side, sa
//
//     level       rows    entries  ranks
//         0     110592     760320      4
//         1      13228     405400      4
//         2        364      18966      4
//         3         12        144      4
//
//     seconds, median              Tpetra    Trident
//     set-up                       1.0279     0.7875    1.31x
//       (I - omega D^-1 A) P       0.1243     0.1093    1.14x
//       A*P                        0.1957     0.1316    1.49x
//       R*(A*P)                    0.2009     0.0980    2.05x
//       all products               0.4923     0.3336    1.48x
//     iterations of CG                 19         19
//
// and the same for a second set-up on other values. Without --reuse Trident multiplies R*A*P at once.
//
// Exit status: 0; 1 when the iterations or the levels of the two differ; 2 for a bad command line or file; 3
// for a failure of one rank, which ends all.

#include <Teuchos_DefaultComm.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_Details_extractMpiCommFromTeuchos.hpp>
#include <cstdio>
#include <iostream>
#include <optional>

#include "Contest.hpp"
#include "Options.hpp"
#include "Problems.hpp"
#include "io/Trident_Arguments.hpp"

namespace Amg {

namespace {

void printTimes(const char* title, const Seconds& stock, const Seconds& trident) {
  std::printf("\n%-24s %10s %10s\n", title, "Tpetra", "Trident");
  for (int what = 0; what < timedCount; ++what) {
    if (stock[what] == 0 && trident[what] == 0) continue;
    std::printf("%-24s %10.4f %10.4f", timedNames[what], stock[what], trident[what]);
    if (trident[what] > 0 && stock[what] > 0) std::printf("  %6.2fx", stock[what] / trident[what]);
    std::printf("\n");
  }
}

void print(const Problem& problem, const Options& options, const Outcomes& outcomes) {
  std::printf("%s, %s\n\nlevel       rows    entries  ranks\n", problem.name.c_str(),
              options.algorithm.c_str());
  for (std::size_t l = 0; l < outcomes.trident.levels.size(); ++l) {
    const LevelSize& level = outcomes.trident.levels[l];
    std::printf("%5zu %10lld %10lld %6d\n", l, static_cast<long long>(level.rows),
                static_cast<long long>(level.entries), level.ranks);
  }
  printTimes("seconds, median", outcomes.stock.first, outcomes.trident.first);
  std::printf("%-24s %10d %10d\n", "iterations of CG", outcomes.stock.iterations,
              outcomes.trident.iterations);
  if (options.reuse == "none") return;
  printTimes(("again, reuse " + options.reuse).c_str(), outcomes.stock.second, outcomes.trident.second);
  std::printf("%-24s %10d %10d\n", "iterations of CG", outcomes.stock.secondIterations,
              outcomes.trident.secondIterations);
}

bool sameLevels(const Outcomes& outcomes) {
  const auto& a = outcomes.stock.levels;
  const auto& b = outcomes.trident.levels;
  if (a.size() != b.size()) return false;
  for (std::size_t l = 0; l < a.size(); ++l)
    if (a[l].rows != b[l].rows || a[l].entries != b[l].entries || a[l].ranks != b[l].ranks) return false;
  return true;
}

int run(int argc, const char* const* argv) {
  const Comm comm = Tpetra::getDefaultComm();
  const bool prints = comm->getRank() == 0;
  std::ostream silent(nullptr);
  Options options;
  Problem problem;
  try {
    const std::optional<int> status =
        parseCommandLine(argc, argv, options, prints ? std::cout : silent, prints ? std::cerr : silent);
    if (status) return *status;
    problem = makeProblem(comm, options);
  } catch (const std::exception& e) {  // every rank reads the file, and fails alike
    if (prints) std::cerr << "trident-amg: " << e.what() << '\n';
    return 2;
  }
  try {
    const Outcomes outcomes = contest(problem, options);
    const bool good = outcomes.agree() && sameLevels(outcomes) && outcomes.trident.iterations > 0;
    if (prints) print(problem, options, outcomes);
    if (prints && !good) std::cerr << "trident-amg: the two hierarchies differ\n";
    return good ? 0 : 1;
  } catch (const std::exception& e) {
    // The other ranks may wait for this one in a collective call.
    std::cerr << "trident-amg: rank " << comm->getRank() << ": " << e.what() << std::endl;
    MPI_Abort(Tpetra::Details::extractMpiCommFromTeuchos(*comm), 3);
    return 3;
  }
}

}  // namespace

}  // namespace Amg

int main(int argc, char** argv) {
  Trident::IO::Arguments given(argc, argv);
  int count = given.kokkosCount();
  char** arguments = given.kokkos.data();
  const Tpetra::ScopeGuard scope(&count, &arguments);
  return Amg::run(given.ownCount(), given.own.data());
}
