// Times sparse products on one rank, Trident's beside those of hypre and Tpetra. README.md shows what it
// prints.
//
// Exit status: 0; 1 when a limit is missed under --check; 2 for a bad command line, more than one rank or
// results that differ.

#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <stdexcept>

#include "Options.hpp"
#include "Table.hpp"
#include "io/Trident_Arguments.hpp"

namespace Bench {

namespace {

void append(Contenders& to, Contenders from) { std::move(from.begin(), from.end(), std::back_inserter(to)); }

Contenders makeContenders(const Case& problem, const std::vector<std::string>& only) {
  Contenders contenders = localProducts(problem);
  append(contenders, hypreProducts(problem));
  append(contenders, tpetraProducts(problem));
  const auto left = [&](const auto& contender) {
    return !only.empty() && std::find(only.begin(), only.end(), contender->name()) == only.end();
  };
  contenders.erase(std::remove_if(contenders.begin(), contenders.end(), left), contenders.end());
  return contenders;
}

/// hypre stores the whole diagonal of a square product: up to one entry a row more than the others have.
bool sameProduct(const Case& problem, const Series& a, const Series& b) {
  const bool hypre = (a.name + b.name).find("hypre") != std::string::npos;
  const std::int64_t allowed = hypre && problem.square ? problem.A.rowCount() : 0;
  const double difference = std::abs(a.outcome.sumOfSquares - b.outcome.sumOfSquares);
  return std::abs(a.outcome.entries - b.outcome.entries) <= allowed &&
         difference <= 1e-10 * std::max(a.outcome.sumOfSquares, b.outcome.sumOfSquares);
}

/// Tpetra, or whoever runs last, is the reference.
void requireSameProducts(const Case& problem, const std::vector<Series>& all) {
  for (const Series& series : all)
    if (!sameProduct(problem, series, all.back()))
      throw std::runtime_error(problem.name + ": the products of " + series.name + " and " + all.back().name +
                               " differ: " + std::to_string(series.outcome.entries) + " and " +
                               std::to_string(all.back().outcome.entries) + " entries, sums of squares " +
                               std::to_string(series.outcome.sumOfSquares) + " and " +
                               std::to_string(all.back().outcome.sumOfSquares));
}

Ratios runCase(const std::string& name, const Options& options) {
  const Case problem = makeCase(name);
  const std::vector<Series> all =
      measure(makeContenders(problem, options.only), options.repeat, options.clock);
  printSeries(std::cout, problem, all);
  requireSameProducts(problem, all);
  return ratiosOf(problem, all);
}

int run(int argc, const char* const* argv) {
  Options options;
  if (const auto status = parseCommandLine(argc, argv, options)) return *status;
  if (Tpetra::getDefaultComm()->getSize() != 1) {
    std::cerr << "trident-bench-local: found " << Tpetra::getDefaultComm()->getSize()
              << " ranks; allowed: 1\n";
    return 2;
  }
  std::vector<Ratios> ratios;
  for (const std::string& name : options.cases.empty() ? caseNames() : options.cases)
    ratios.push_back(runCase(name, options));
  printRatios(std::cout, ratios);
  if (!options.check) return 0;
  const auto missed = [](const Ratios& of) { return of.accepted && !of.kept(); };
  const bool anyMissed = std::any_of(ratios.begin(), ratios.end(), missed);
  std::cout << (anyMissed ? "a limit is missed\n" : "the limits are kept\n");
  return anyMissed ? 1 : 0;
}

}  // namespace

}  // namespace Bench

int main(int argc, char** argv) {
  Trident::IO::Arguments given(argc, argv);
  int count = given.kokkosCount();
  char** arguments = given.kokkos.data();
  const Tpetra::ScopeGuard scope(&count, &arguments);
  Bench::startHypre();
  int status = 2;
  try {
    status = Bench::run(given.ownCount(), given.own.data());
  } catch (const std::exception& e) {
    std::cerr << "trident-bench-local: " << e.what() << '\n';
  }
  Bench::stopHypre();
  return status;
}
