#include <algorithm>
#include <cstdio>
#include <numeric>
#include <ostream>

#include "Report.hpp"

namespace Spgemm {

namespace {

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

std::string counted(std::int64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : one == "batch" ? "es" : "s");
}

std::string layoutOf(const Trident::ProductReport& report) {
  const std::vector<int>& sizes = report.ranksPerNode;
  std::string text = counted(report.ranks, "rank") + " on " + counted(report.nodes, "node") + " of ";
  const bool even = std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end();
  for (std::size_t v = 0; v < (even ? std::min<std::size_t>(sizes.size(), 1) : sizes.size()); ++v)
    text += (v == 0 ? "" : ", ") + std::to_string(sizes[v]);
  return text;
}

void printProblem(std::ostream& out, const Results& results) {
  const char* product = results.op == "AAt" ? "A*A'" : results.op == "AP" ? "A*P" : "A*A";
  out << "A = " << results.matrix << ": " << results.rows << " x " << results.cols << ", " << results.entriesA
      << " entries\n";
  if (results.op == "AP") out << "P: " << results.entriesB << " entries\n";
  out << "C = " << product << ": " << results.entriesC << " entries from " << results.multiplications
      << " multiplications\n";
}

void printPlan(std::ostream& out, const Results& results) {
  const Trident::ProductReport& report = results.report;
  out << "\nplan\n";
  out << "  ranks          " << layoutOf(report) << '\n';
  if (report.handedBack) {
    out << "  handed back    Tpetra did this product: " << report.handBackReason << '\n';
    return;
  }
  out << "  grid           " << report.grid << '\n';
  out << "  filter         " << report.filter << '\n';
  out << "  tiles from     " << report.source << '\n';
  out << "  engine         " << report.engine << '\n';
  out << "  gather         " << report.gather << '\n';
  out << "  local product  " << report.localProduct << '\n';
  out << "  rounds         " << report.rounds;
  if (const int panels = report.plan.panelsOrOne(); panels > 1)
    out << " in each of " << panels << " panels, all";
  out << " in " << counted(results.batches, "batch") << '\n';
}

void printTimes(std::ostream& out, const Results& results) {
  const Seconds& seconds = results.seconds;
  out << "\nseconds (median of " << counted(results.repeat, "run") << ")\n";
  out << formatted("  Trident  %9.4f", seconds.total)
      << formatted("   prepare %.4f, convert %.4f, multiply %.4f, map back %.4f, finish %.4f\n",
                   seconds.prepare, seconds.convert, seconds.multiply, seconds.mapBack, seconds.finish);
  if (results.valuesOnlySeconds)
    out << formatted("  values   %9.4f   with the patterns of the first product\n",
                     *results.valuesOnlySeconds);
  if (results.tpetraSeconds)
    out << formatted("  Tpetra   %9.4f   %.2f times Trident's\n", *results.tpetraSeconds,
                     *results.tpetraSeconds / seconds.total);
}

/// Sum over the nodes and the most of any, in kB.
std::string sumAndMost(const PerNode& bytes) {
  const double sum = static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::int64_t(0)));
  const double most = bytes.empty() ? 0 : static_cast<double>(*std::max_element(bytes.begin(), bytes.end()));
  return formatted("%13.1f %13.1f", sum / 1000, most / 1000);
}

void printTrafficLine(std::ostream& out, const std::string& title, const PerNode& gi, const PerNode& li) {
  out << formatted("  %-20s", title.c_str()) << sumAndMost(gi) << ' ' << sumAndMost(li) << '\n';
}

void printTraffic(std::ostream& out, const Results& results) {
  const Traffic& traffic = results.traffic;
  out << formatted("\n%-22s%13s %13s %13s %13s\n", "received, kB", "Gi, all nodes", "worst node",
                   "Li, all nodes", "worst node");
  for (const PhaseTraffic& phase : traffic.phases)
    printTrafficLine(out, "  " + phase.name, phase.giBytes, phase.liBytes);
  printTrafficLine(out, "Trident, tiles", traffic.giBytes, traffic.liBytes);
  out << formatted("  %-20s", "  predicted") << sumAndMost(traffic.giPredictedBytes) << '\n';
  printTrafficLine(out, "Trident, requests", traffic.giOtherBytes, traffic.liOtherBytes);
  printTrafficLine(out, "Tpetra", results.tpetraTraffic.giBytes, results.tpetraTraffic.liBytes);
  out << "  (Tpetra's payload is counted from its import of B: global index and value of each entry, 8 bytes "
         "a "
         "row)\n";
}

void printComparison(std::ostream& out, const Results& results) {
  if (!results.comparison) return;
  const Comparison& comparison = *results.comparison;
  out << "\nresults agree: " << (comparison.agree() ? "yes" : "NO") << " (pattern "
      << (comparison.patternEqual ? "equal" : "differs") << ", max scaled error "
      << formatted("%.2g eps", comparison.maxScaledError);
  if (comparison.maxScaledError > comparison.allowedError)
    out << formatted(", allowed %.0f eps", comparison.allowedError);
  out << ")\n";
}

}  // namespace

void printText(std::ostream& out, const Results& results) {
  printProblem(out, results);
  printPlan(out, results);
  printTimes(out, results);
  printTraffic(out, results);
  printComparison(out, results);
}

}  // namespace Spgemm
