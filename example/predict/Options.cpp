#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "io/Trident_TextInput.hpp"

namespace Predict {

namespace {

namespace IO = Trident::IO;

// More candidates than can be looked at, and counts per pair of nodes that still fit into memory.
constexpr int mostNodes = 10000;
constexpr int mostRanksPerNode = 1024;

/// What replaces figures of the machine's preset; NaN where nothing was given.
struct MachineOptions {
  double giBandwidth = std::nan(""), giLatency = std::nan(""), liBandwidth = std::nan(""),
         liLatency = std::nan(""), work = std::nan("");
};

void addMatrixOptions(CLI::App& app, Options& options) {
  auto* file = app.add_option("-m,--matrix", options.matrix,
                              "MatrixMarket file or edge list (.abc: mcl's labels), plain or gzip");
  auto* random = app.add_option("-r,--random", options.random,
                                "expected values for a random square matrix: n=1e6,d=10[,c=5] with n rows, d "
                                "entries a row, nnz(C) = c*nnz");
  auto* op = app.add_option("--op", options.op, "AA: A*A; AAt: A*transpose(A)")
                 ->check(CLI::IsMember({"AA", "AAt"}))
                 ->capture_default_str();
  file->excludes(random);
  random->excludes(op);
  app.add_option("--symmetric-duplicates", options.symmetricDuplicates,
                 "when a symmetric file holds both (i,j) and (j,i)")
      ->check(CLI::IsMember({"reject", "sum", "max"}))
      ->capture_default_str();
}

void addMachineOptions(CLI::App& app, Options& options, MachineOptions& changes) {
  app.add_option("-n,--nodes", options.nodes, "numbers of nodes, e.g. 4,9,16")
      ->required()
      ->delimiter(',')
      ->check(CLI::Range(1, mostNodes));
  app.add_option("-l,--ranks", options.ranksPerNode, "numbers of ranks a node, e.g. 1,4")
      ->required()
      ->delimiter(',')
      ->check(CLI::Range(1, mostRanksPerNode));
  app.add_option("--machine", options.machineName, "figures of the machine to start from")
      ->check(CLI::IsMember(Trident::Machine::names()))
      ->capture_default_str();
  const CLI::Range rate(1.0, 1e18);
  const CLI::Range latency(0.0, 1e3);
  app.add_option("--gi-bandwidth", changes.giBandwidth, "bytes a second into a node")->check(rate);
  app.add_option("--gi-latency", changes.giLatency, "seconds a message between nodes")->check(latency);
  app.add_option("--li-bandwidth", changes.liBandwidth, "bytes a second among the ranks of a node")
      ->check(rate);
  app.add_option("--li-latency", changes.liLatency, "seconds a message inside a node")->check(latency);
  app.add_option("--work", changes.work, "multiplications a second of one rank")->check(rate);
}

Trident::Machine machineOf(const std::string& name, const MachineOptions& changes) {
  Trident::Machine machine = Trident::Machine::named(name);
  const auto change = [](double& figure, double given) {
    if (!std::isnan(given)) figure = given;
  };
  change(machine.giBytesPerSecond, changes.giBandwidth);
  change(machine.giLatency, changes.giLatency);
  change(machine.liBytesPerSecond, changes.liBandwidth);
  change(machine.liLatency, changes.liLatency);
  change(machine.multiplicationsPerSecond, changes.work);
  return machine;
}

[[noreturn]] void failRandom(const std::string& text, const std::string& found, const std::string& allowed) {
  throw std::invalid_argument("--random " + text + ": found " + found + "; allowed: " + allowed);
}

/// The words of "name=value,..." by name.
std::map<std::string, std::string> splitFields(const std::string& text) {
  const std::string allowed = "n=NUMBER,d=NUMBER[,c=NUMBER]";
  std::map<std::string, std::string> fields;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    const std::string name = part.substr(0, part.find('='));
    if (name == part || (name != "n" && name != "d" && name != "c"))
      failRandom(text, IO::quoted(part), allowed);
    if (!fields.emplace(name, part.substr(name.size() + 1)).second)
      failRandom(text, name + " twice", allowed);
  }
  for (const char* name : {"n", "d"})
    if (fields.count(name) == 0) failRandom(text, std::string("no ") + name, allowed);
  return fields;
}

}  // namespace

RandomMatrix parseRandomMatrix(const std::string& text) {
  const std::map<std::string, std::string> fields = splitFields(text);
  const auto number = [&](const char* name, double smallest, double largest) {
    double value = 0;
    const std::string& word = fields.at(name);
    if (IO::parseReal(word, value) != IO::NumberStatus::ok || !(value >= smallest && value <= largest)) {
      std::ostringstream allowed;
      allowed << smallest << " to " << largest;
      failRandom(text, std::string(name) + " " + IO::quoted(word), allowed.str());
    }
    return value;
  };
  RandomMatrix matrix;
  matrix.rows = number("n", 1, 1e15);
  matrix.entriesARow = number("d", 1e-3, matrix.rows);
  // A row of C is the union of d rows: d*d places thrown at n.
  const double d = matrix.entriesARow;
  matrix.growth = fields.count("c") != 0 ? number("c", 0, matrix.rows)
                                         : matrix.rows * -std::expm1(-d * d / matrix.rows) / d;
  return matrix;
}

std::optional<int> parseCommandLine(int argc, const char* const* argv, Options& options, std::ostream& out,
                                    std::ostream& err) {
  CLI::App app("Predicts what a product costs on every grid of nodes, without running it.",
               "trident-predict");
  MachineOptions changes;
  std::string gather = "auto";
  addMatrixOptions(app, options);
  addMachineOptions(app, options, changes);
  app.add_option("--gather", gather,
                 "window: ranks of a node share one copy of B's tiles; allgatherv: each has its own; auto: "
                 "allgatherv for perlmutter-gpu, else window")
      ->check(CLI::IsMember({"auto", "window", "allgatherv"}))
      ->capture_default_str();
  app.add_flag("--chain", options.setting.chain, "operands lie in tiles already and the result stays there");
  app.add_flag("--json", options.json, "print one JSON object instead of text");
  try {
    app.parse(argc, argv);
    if (options.matrix.empty() && options.random.empty())
      throw CLI::RequiredError("A matrix, with --matrix or --random,");
  } catch (const CLI::ParseError& e) {
    return app.exit(e, out, err) == 0 ? 0 : 2;
  }
  // Memory of several GPUs is no shared window.
  options.setting.sharedWindow =
      gather == "auto" ? options.machineName != "perlmutter-gpu" : gather == "window";
  options.machine = machineOf(options.machineName, changes);
  if (!options.random.empty()) options.randomMatrix = parseRandomMatrix(options.random);
  return std::nullopt;
}

}  // namespace Predict
