#include <cstdio>
#include <ostream>
#include <sstream>
#include <string>

#include "Report.hpp"

namespace Predict {

namespace {

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

template <class T>
std::string textOf(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

void printProblem(std::ostream& out, const Options& options, const Sizes& sizes) {
  const bool random = options.matrix.empty();
  out << "A = " << (random ? "random " + options.random : options.matrix)
      << formatted(": %.0f x %.0f, %.0f entries\n", sizes.rows, sizes.inner, sizes.entriesA);
  out << "C = " << (options.op == "AAt" ? "A*A'" : "A*A")
      << formatted(": %.0f entries from %.0f multiplications%s\n", sizes.entriesC, sizes.multiplications,
                   random ? ", expected" : "");
  if (options.setting.chain) out << "operands lie in tiles, C stays there\n";
}

void printMachine(std::ostream& out, const Options& options) {
  const Trident::Machine& machine = options.machine;
  out << "machine " << options.machineName
      << formatted(
             ": Gi %g GB/s a node and %g us a message, Li %g GB/s and %g us, %g million multiplications/s "
             "a rank\n",
             machine.giBytesPerSecond / 1e9, machine.giLatency * 1e6, machine.liBytesPerSecond / 1e9,
             machine.liLatency * 1e6, machine.multiplicationsPerSecond / 1e6);
  out << "a node gathers tiles of B "
      << (options.setting.sharedWindow ? "in one shared window\n" : "by allgatherv, a copy for each rank\n");
}

void printLine(std::ostream& out, const Prediction& prediction, bool best) {
  const Trident::CandidateCosts& costs = prediction.costs;
  const std::string grid = prediction.tpetra ? "tpetra" : textOf(costs.grid);
  out << formatted("  %-11s %-7s %-7s %13.3f %14.3f %10.0f %12.3f %13.6f%s\n", grid.c_str(),
                   prediction.filter().c_str(), prediction.source().c_str(), costs.giBytesMost / 1e6,
                   costs.giBytesSum / 1e6, costs.giMessagesMost, costs.memoryBytesMost / 1e6,
                   prediction.seconds, best ? "  best" : "");
}

void printCase(std::ostream& out, const Case& which) {
  out << '\n'
      << which.nodes << (which.nodes == 1 ? " node of " : " nodes of ") << which.ranksPerNode
      << (which.ranksPerNode == 1 ? " rank\n" : " ranks\n");
  out << formatted("  %-11s %-7s %-7s %13s %14s %10s %12s %13s\n", "grid", "rows", "from", "Gi, worst",
                   "Gi, all", "messages", "memory", "predicted");
  out << formatted("  %-11s %-7s %-7s %13s %14s %10s %12s %13s\n", "", "of B", "", "node, MB", "nodes, MB",
                   "a rank", "a rank, MB", "s");
  for (std::size_t k = 0; k < which.predictions.size(); ++k)
    printLine(out, which.predictions[k], k == which.best);
}

}  // namespace

void printText(std::ostream& out, const Options& options, const Sizes& sizes,
               const std::vector<Case>& cases) {
  printProblem(out, options, sizes);
  printMachine(out, options);
  for (const Case& which : cases) printCase(out, which);
}

}  // namespace Predict
