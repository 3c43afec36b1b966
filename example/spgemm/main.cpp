// Multiplies a sparse matrix of a file or a generator with Trident and compares with Tpetra. README.md shows
// what it prints.
//
// Exit status: 0; 1 when the two results differ; 2 for a bad command line, file or parameter; 3 for a failure
// of one rank, which ends all.

#include <Tpetra_Core.hpp>
#include <Tpetra_Details_extractMpiCommFromTeuchos.hpp>
#include <iostream>
#include <optional>
#include <vector>

#include "Agreement.hpp"
#include "Comparison.hpp"
#include "MatrixSource.hpp"
#include "Options.hpp"
#include "Product.hpp"
#include "Report.hpp"
#include "Traffic.hpp"
#include "io/Trident_Arguments.hpp"

namespace Spgemm {

namespace {

/// Ranks and nodes even where Tpetra did the product and Trident left them open.
void completeReport(MPI_Comm comm, Trident::ProductReport& report) {
  report.ranks = sizeOf(comm);
  if (!report.ranksPerNode.empty()) return;
  const std::vector<std::int64_t> nodeOf = gatherFromRanks(comm, report.node);
  for (const std::int64_t node : nodeOf) {
    if (static_cast<std::size_t>(node) >= report.ranksPerNode.size())
      report.ranksPerNode.resize(static_cast<std::size_t>(node) + 1);
    ++report.ranksPerNode[static_cast<std::size_t>(node)];
  }
  report.nodes = static_cast<int>(report.ranksPerNode.size());
}

Results multiply(const Teuchos::RCP<const Teuchos::Comm<int>>& teuchosComm, MPI_Comm comm,
                 const Options& options) {
  const Problem problem = makeProblem(teuchosComm, options);
  Runs runs = runProducts(comm, problem, options);
  completeReport(comm, runs.report);

  Results results;
  results.matrix = options.matrixName();
  results.op = options.op;
  results.rows = static_cast<std::int64_t>(problem.A->getRangeMap()->getGlobalNumElements());
  results.cols = static_cast<std::int64_t>(problem.A->getDomainMap()->getGlobalNumElements());
  results.entriesA = static_cast<std::int64_t>(problem.A->getGlobalNumEntries());
  results.entriesB = static_cast<std::int64_t>(problem.B->getGlobalNumEntries());
  results.entriesC = static_cast<std::int64_t>(runs.C->getGlobalNumEntries());
  results.repeat = options.repeat;
  results.report = runs.report;
  results.batches = static_cast<int>(maxOverRanks(comm, std::int64_t(runs.report.batches)));
  results.peakBytes = maxOverRanks(comm, runs.report.peakBytes);
  results.seconds = runs.seconds;
  results.traffic = trafficOf(comm, runs.report);
  if (options.valuesOnly) {
    results.valuesOnlySeconds = runs.valuesOnlySeconds;
    results.valuesOnlyGiBytes = giBytesOf(comm, runs.report, runs.valuesOnlyLedger);
  }
  results.tpetraTraffic = countTpetraImport(comm, problem, runs.report);
  results.multiplications = runs.report.handedBack ? results.tpetraTraffic.multiplications
                                                   : sumOverRanks(comm, runs.report.multiplications);
  if (options.compareTpetra) {
    results.tpetraSeconds = runs.tpetraSeconds;
    results.comparison = compare(comm, problem, *runs.C, *runs.reference);
  }
  return results;
}

int run(int argc, const char* const* argv) {
  const Teuchos::RCP<const Teuchos::Comm<int>> teuchosComm = Tpetra::getDefaultComm();
  const MPI_Comm comm = Tpetra::Details::extractMpiCommFromTeuchos(*teuchosComm);
  const bool prints = rankIn(comm) == 0;
  std::ostream silent(nullptr);
  try {
    Options options;
    const std::optional<int> status =
        parseCommandLine(argc, argv, options, prints ? std::cout : silent, prints ? std::cerr : silent);
    if (status) return *status;
    const Results results = multiply(teuchosComm, comm, options);
    if (prints && options.json) printJson(std::cout, results);
    if (prints && !options.json) printText(std::cout, results);
    return results.comparison && !results.comparison->agree() ? 1 : 0;
  } catch (const AgreedError& e) {
    if (prints) std::cerr << "trident-spgemm: " << e.what() << '\n';
    return 2;
  } catch (const std::exception& e) {
    // The other ranks may wait for this one in a collective call.
    std::cerr << "trident-spgemm: rank " << rankIn(comm) << ": " << e.what() << std::endl;
    MPI_Abort(comm, 3);
    return 3;
  }
}

}  // namespace

}  // namespace Spgemm

int main(int argc, char** argv) {
  Trident::IO::Arguments given(argc, argv);
  int count = given.kokkosCount();
  char** arguments = given.kokkos.data();
  const Tpetra::ScopeGuard scope(&count, &arguments);
  return Spgemm::run(given.ownCount(), given.own.data());
}
