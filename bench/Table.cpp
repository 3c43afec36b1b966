#include "Table.hpp"

#include <iomanip>
#include <ostream>
#include <sstream>

namespace Bench {

namespace {

const Series* find(const std::vector<Series>& all, const std::string& name) {
  for (const Series& series : all)
    if (series.name == name) return &series;
  return nullptr;
}

const Series* faster(const Series* a, const Series* b) {
  if (a == nullptr || b == nullptr) return a != nullptr ? a : b;
  return a->median() <= b->median() ? a : b;
}

std::optional<Ratio> ratio(const Series* above, const Series* below) {
  if (above == nullptr || below == nullptr) return std::nullopt;
  return Ratio{above->median() / below->median(), above->minimum() / below->minimum()};
}

std::string text(const std::optional<Ratio>& ratio) {
  if (!ratio) return "-";
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << ratio->ofMedians << " (" << ratio->ofMinima << ")";
  return out.str();
}

}  // namespace

bool Ratios::kept() const {
  return hostOverHypre && hostOverHypre->ofMedians <= mostHostOverHypre && tpetraOverTrident &&
         tpetraOverTrident->ofMedians >= leastTpetraOverTrident;
}

Ratios ratiosOf(const Case& problem, const std::vector<Series>& all) {
  const Series* host = find(all, Names::host);
  const Series* hypre = faster(find(all, Names::hypreParMatmul), find(all, Names::hypreMatMat));
  return {problem.name, problem.accepted, ratio(host, hypre),
          ratio(find(all, Names::tpetra), find(all, Names::trident)),
          ratio(find(all, Names::kokkosKernels), host)};
}

void printSeries(std::ostream& out, const Case& problem, const std::vector<Series>& all) {
  const Matrix& A = problem.A;
  const Matrix& B = problem.right();
  out << problem.name << ": " << problem.what << "\n  A " << A.rowCount() << " x " << A.columnCount << ", "
      << A.entries() << " entries; B " << B.rowCount() << " x " << B.columnCount << ", " << B.entries()
      << " entries\n"
      << std::left << "    " << std::setw(20) << "seconds" << std::right << std::setw(10) << "median"
      << std::setw(10) << "minimum" << std::setw(14) << "entries of C" << '\n';
  out << std::fixed << std::setprecision(4);
  for (const Series& series : all)
    out << std::left << "    " << std::setw(20) << series.name << std::right << std::setw(10)
        << series.median() << std::setw(10) << series.minimum() << std::setw(14) << series.outcome.entries
        << '\n';
  out << std::endl;
}

void printRatios(std::ostream& out, const std::vector<Ratios>& all) {
  std::ostringstream hypre, tpetra;
  hypre << "host/hypre <= " << mostHostOverHypre;
  tpetra << "Tpetra/Trident >= " << leastTpetraOverTrident;
  out << "ratios of the medians (of the minima); * limits apply\n"
      << std::left << "    " << std::setw(12) << "case" << std::right << std::setw(20) << hypre.str()
      << std::setw(22) << tpetra.str() << std::setw(22) << "kokkoskernels/host" << '\n';
  for (const Ratios& ratios : all)
    out << std::left << "  " << (ratios.accepted ? "* " : "  ") << std::setw(12) << ratios.name << std::right
        << std::setw(20) << text(ratios.hostOverHypre) << std::setw(22) << text(ratios.tpetraOverTrident)
        << std::setw(22) << text(ratios.kokkosKernelsOverHost) << '\n';
  out << std::flush;
}

}  // namespace Bench
