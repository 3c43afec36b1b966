#include "detail/Trident_Parameters.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "Trident_MatrixMatrix.hpp"
#include "detail/Trident_ProductLog.hpp"

namespace Trident {
namespace {

// Each takes row pointers of its own and a pass through A.
constexpr long long mostPanels = 100;

using Teuchos::ParameterList;

ParameterList validParameters() {
  ParameterList valid("Trident");
  const Plan plan;
  valid.set("trident: ranks per node", std::string(),
            "Node sizes to assume, \"4\" or \"3,5,4\"; empty: the real nodes, or TRIDENT_RANKS_PER_NODE.");
  valid.set(
      "trident: plan", std::string(),
      "Parts of the plan in one string, \"grid=2x2, filter=needed\", or \"tpetra\": the product is Tpetra's. "
      "Parameters of their own win.");
  valid.set(
      "trident: machine", std::string(),
      "The links to plan for: a preset's name, or \"latency,bandwidth\" between nodes in seconds and bytes "
      "a second; empty: measured where it matters.");
  valid.set("trident: grid", std::string(),
            "Grid of nodes, \"RxC\" with R*C nodes; empty: chosen by the bytes expected over Gi.");
  valid.set("trident: filter", std::string("auto"),
            "Rows of B's tiles that travel: \"whole\" tiles, \"needed\" rows, or \"auto\": chosen "
            "with the "
            "grid; whole if a grid is given.");
  valid.set(
      "trident: tiles from", std::string("auto"),
      "Where the rounds fetch from: \"owners\" of 1D rows, or \"tiles\" assembled before; \"auto\": owners.");
  valid.set(
      "trident: gather", std::string("auto"),
      "How a node assembles tiles of B: \"shared window\", \"allgatherv\", or \"auto\": the window where a "
      "node has several ranks.");
  valid.set("trident: local product", std::string("auto"),
            "\"host\", \"kokkoskernels\", or \"auto\": host on one-thread host devices.");
  valid.set(
      "trident: engine", std::string("auto"),
      "How tiles are brought: \"scheduled\", \"requests\" (queues in RMA windows, or messages where the MPI "
      "has none), \"request messages\", \"bulk synchronous\" (a yardstick), or \"auto\": TRIDENT_ENGINE, "
      "else scheduled.");
  valid.set("trident: overlap", std::string("auto"),
            "Whether rounds are multiplied while later ones are on their way: \"on\", \"off\", or \"auto\": "
            "where enough is received for it to pay.");
  valid.set(
      "trident: panels", plan.panels,
      "Runs of columns of B that travel one ahead of the other: while one is multiplied the next is on its "
      "way; 0: one, or more where that pays.");
  valid.set("trident: rounds ahead", plan.roundsAhead,
            "How many rounds ahead of their use tiles are sent and received, at least 0.");
  valid.set("trident: rounds per batch", plan.roundsPerBatch,
            "Rounds multiplied in one fused pass; 0: as many as memory allows.");
  valid.set(
      "trident: window bytes", static_cast<long long>(plan.windowBytes),
      "Most that a node's shared window may take; 0: the node's share of half of what /dev/shm has free.");
  valid.set("trident: max message bytes", static_cast<long long>(plan.maxMessageBytes),
            "Longer arrays are sent in several messages; 8 to 2147483647.");
  valid.set("trident: memory budget", std::string(),
            "Most memory a rank may take beside A and B: bytes, \"512M\", \"2G\", or \"25%\" of what is "
            "free, shared by "
            "the ranks of a machine. C is computed in as many column phases as that takes.");
  valid.set(
      "trident: column phases", 0,
      "Runs of columns of C that are computed one after the other; 0: one, or as the memory budget wants.");
  valid.set("trident: phase callback", 0,
            "An RCP<Trident::PhaseCallback<...>>: is given each column phase of C and returns what C is to "
            "keep of it.");
  valid.set("trident: reuse", true,
            "Keep what a product of the same patterns can use with C's graph: then only values travel.");
  valid.set(
      "trident: pattern memory", std::string("6%"),
      "Most memory for patterns of products whose C may be gone, for a new C of the same patterns: bytes a "
      "rank, \"64M\", or a share of the machine's, shared by its ranks; \"0\": none.");
  valid.set(
      "trident: skip zeros", true,
      "Stored zeros of A (and R) add nothing to C's pattern; left out: as the installed Tpetra does, which "
      "skips them on Serial nodes only.");
  valid.set("trident: report", Teuchos::RCP<ProductReport>(),
            "A report to fill in: plan, ledger, prediction, times.");
  valid.set("trident: delay seed", plan.delaySeed,
            "For tests: not 0 delays each rank at random protocol steps.");
  valid.set("trident: inject failure on rank", plan.faults.failingRank,
            "For tests: the rank whose local product throws; -1: none.");
  return valid;
}

std::string knownNames(const ParameterList& valid) {
  std::ostringstream names;
  for (auto entry = valid.begin(); entry != valid.end(); ++entry)
    names << (entry == valid.begin() ? "" : ", ") << '"' << valid.name(entry) << '"';
  return names.str();
}

[[noreturn]] void refuse(const std::string& name, const std::string& found, const std::string& allowed) {
  throw std::invalid_argument("Trident: parameter \"" + name + "\" is " + found + "; allowed: " + allowed);
}

bool isOurs(const std::string& name) { return name.compare(0, 8, "trident:") == 0; }

// The parts of a plan that "trident: plan" may name, and the parameters they stand for.
const std::map<std::string, std::string>& partsOfPlan() {
  static const std::map<std::string, std::string> parts{
      {"grid", "trident: grid"},       {"filter", "trident: filter"},       {"from", "trident: tiles from"},
      {"gather", "trident: gather"},   {"local", "trident: local product"}, {"engine", "trident: engine"},
      {"overlap", "trident: overlap"}, {"panels", "trident: panels"}};
  return parts;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The only part of a plan that is a number.
int panelsIn(const std::string& text) {
  const bool isNumber =
      !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!isNumber) refuse("trident: panels", '"' + text + '"', "0 to " + std::to_string(mostPanels));
  return std::stoi(text);
}

// "grid=2x2, filter=needed" as parameters; "tpetra" is the caller's to look for.
ParameterList parametersOfPlan(const std::string& text) {
  ParameterList list;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    const auto equals = part.find('=');
    const auto known = partsOfPlan().find(trimmed(part.substr(0, equals)));
    if (equals == std::string::npos || known == partsOfPlan().end()) {
      std::string allowed = "\"tpetra\", or parts separated by commas:";
      for (const auto& [name, parameter] : partsOfPlan()) allowed += ' ' + name + "=...";
      refuse("trident: plan", '"' + text + '"', allowed);
    }
    const std::string value = trimmed(part.substr(equals + 1));
    if (known->first == "panels")
      list.set(known->second, panelsIn(value));
    else
      list.set(known->second, value);
  }
  return list;
}

std::optional<Machine> readMachine(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto comma = text.find(',');
  Machine machine = Machine::named(comma == std::string::npos ? text : "1gbit");
  if (comma == std::string::npos) return machine;
  try {
    machine.giLatency = std::stod(text.substr(0, comma));
    machine.giBytesPerSecond = std::stod(text.substr(comma + 1));
  } catch (const std::exception&) {
    machine.giBytesPerSecond = 0;
  }
  if (machine.giLatency < 0 || !(machine.giBytesPerSecond > 0))
    refuse("trident: machine", '"' + text + '"',
           "\"latency,bandwidth\", seconds and bytes a second, or a preset");
  return machine;
}

// "512M" as bytes, "25%" as a share.
struct Amount {
  std::int64_t bytes = 0;
  double share = 0;
};

Amount readAmount(const std::string& name, const std::string& text, bool zeroIsAllowed) {
  std::size_t used = 0;
  double number = -1;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    number = -1;
  }
  const std::string unit = trimmed(text.substr(used));
  const std::map<std::string, double> units{
      {"", 1}, {"k", 1024.0}, {"M", 1048576.0}, {"G", 1073741824.0}, {"%", 0.01}};
  if (number < 0 || (number == 0 && !zeroIsAllowed) || units.count(unit) == 0 ||
      (unit == "%" && number > 100))
    refuse(name, '"' + text + '"', "a number of bytes, or with k, M, G or %");
  if (unit == "%") return {0, number * units.at(unit)};
  return {static_cast<std::int64_t>(number * units.at(unit)), 0};
}

// The list that holds a parameter whose type is not known here; null if none does.
Teuchos::RCP<ParameterList> listWith(const Teuchos::RCP<ParameterList>& list, const std::string& name) {
  const std::string kernel = "matrixmatrix: kernel params";
  if (list.is_null() || list->isParameter(name)) return list;
  if (!list->isSublist(kernel)) return Teuchos::null;
  const auto inner = Teuchos::sublist(list, kernel);
  return inner->isParameter(name) ? inner : Teuchos::null;
}

// One value, from the top level or the sublist, the top level first.
class Reader {
 public:
  explicit Reader(const ParameterList* list) {
    if (list == nullptr) return;
    lists_.push_back(list);
    const std::string kernel = "matrixmatrix: kernel params";
    if (list->isSublist(kernel)) lists_.push_back(&list->sublist(kernel));
  }

  /// A list that gives what the others leave open.
  void append(const ParameterList& list) { lists_.push_back(&list); }

  void requireKnownNames(const ParameterList& valid) const {
    for (const ParameterList* list : lists_)
      for (auto entry = list->begin(); entry != list->end(); ++entry)
        if (isOurs(list->name(entry)) && !valid.isParameter(list->name(entry)))
          throw std::invalid_argument("Trident: unknown parameter \"" + list->name(entry) +
                                      "\"; the known ones are " + knownNames(valid));
  }

  bool has(const std::string& name) const {
    return std::any_of(lists_.begin(), lists_.end(),
                       [&name](const ParameterList* list) { return list->isParameter(name); });
  }

  template <class T>
  T get(const std::string& name, const T& otherwise, const char* typeName) const {
    for (const ParameterList* list : lists_) {
      if (!list->isParameter(name)) continue;
      if (!list->isType<T>(name)) refuse(name, "of another type", typeName);
      return list->get<T>(name);
    }
    return otherwise;
  }

  // Any integer type: C++ literals are int, sizes are not.
  long long getInteger(const std::string& name, long long otherwise, long long least, long long most) const {
    for (const ParameterList* list : lists_) {
      if (!list->isParameter(name)) continue;
      long long value = 0;
      if (list->isType<int>(name))
        value = list->get<int>(name);
      else if (list->isType<long long>(name))
        value = list->get<long long>(name);
      else
        refuse(name, "of another type", "int or long long");
      if (value < least || value > most)
        refuse(name, std::to_string(value), std::to_string(least) + " to " + std::to_string(most));
      return value;
    }
    return otherwise;
  }

 private:
  std::vector<const ParameterList*> lists_;
};

template <class KindOf>
KindOf choose(const Reader& reader, const std::string& name, std::initializer_list<KindOf> kinds,
              const char* otherwise = nullptr) {
  const auto found = reader.get<std::string>(name, otherwise != nullptr ? otherwise : "auto", "string");
  std::string allowed;
  for (const KindOf kind : kinds) {
    if (found == Trident::name(kind)) return kind;
    allowed += (allowed.empty() ? "\"" : ", \"") + std::string(Trident::name(kind)) + '"';
  }
  refuse(name, '"' + found + '"', allowed);
}

}  // namespace

Teuchos::RCP<const ParameterList> getValidParameters() {
  return Teuchos::rcp(new ParameterList(validParameters()));
}

namespace detail {

Parameters readParameters(const Teuchos::RCP<ParameterList>& list) {
  Reader reader(list.get());
  reader.requireKnownNames(validParameters());

  Parameters read;
  const std::string plan = trimmed(reader.get<std::string>("trident: plan", "", "string"));
  read.tpetra = plan == "tpetra";
  const ParameterList parts = read.tpetra ? ParameterList() : parametersOfPlan(plan);
  reader.append(parts);
  read.machine = readMachine(reader.get<std::string>("trident: machine", "", "string"));
  const char* environment = std::getenv("TRIDENT_RANKS_PER_NODE");
  read.ranksPerNode = reader.get<std::string>("trident: ranks per node", "", "string");
  if (read.ranksPerNode.empty() && environment != nullptr) read.ranksPerNode = environment;
  read.grid = reader.get<std::string>("trident: grid", "", "string");
  const std::string budget = "trident: memory budget", patterns = "trident: pattern memory";
  if (const auto text = reader.get<std::string>(budget, "", "string"); !text.empty()) {
    const Amount amount = readAmount(budget, text, false);
    read.memoryBudget = amount.bytes;
    read.memoryShare = amount.share;
  }
  const char* memory = std::getenv("TRIDENT_PATTERN_MEMORY");
  const Amount amount = readAmount(
      patterns, reader.get<std::string>(patterns, memory != nullptr ? memory : "6%", "string"), true);
  read.patternBytes = amount.bytes;
  read.patternShare = amount.share;
  read.columnPhases = static_cast<int>(reader.getInteger("trident: column phases", 0, 0, 1000000));
  read.callbackList = listWith(list, "trident: phase callback");
  read.reuse = reader.get<bool>("trident: reuse", true, "bool");
  read.report = reader.get<Teuchos::RCP<ProductReport>>("trident: report", Teuchos::null,
                                                        "RCP<Trident::ProductReport>");
  read.log = isLogWanted();
  read.computeGlobalConstants = list.is_null() || !list->isType<bool>("compute global constants") ||
                                list->get<bool>("compute global constants");

  constexpr long long most = 2147483647;
  Plan& wanted = read.plan;
  wanted.filter =
      choose(reader, "trident: filter", {TileFilter::automatic, TileFilter::whole, TileFilter::needed});
  wanted.source =
      choose(reader, "trident: tiles from", {TileSource::automatic, TileSource::owners, TileSource::tiles});
  wanted.gather = choose(reader, "trident: gather",
                         {GatherKind::automatic, GatherKind::sharedWindow, GatherKind::allgatherv});
  wanted.local = choose(reader, "trident: local product",
                        {LocalKind::automatic, LocalKind::host, LocalKind::kokkosKernels});
  wanted.engine = choose(reader, "trident: engine",
                         {EngineKind::automatic, EngineKind::scheduled, EngineKind::requests,
                          EngineKind::requestMessages, EngineKind::bulkSynchronous},
                         std::getenv("TRIDENT_ENGINE"));
  wanted.overlap = choose(reader, "trident: overlap", {Overlap::automatic, Overlap::on, Overlap::off},
                          std::getenv("TRIDENT_OVERLAP"));
  const std::string zeros = "trident: skip zeros";
  if (reader.has(zeros)) read.skipZeros = reader.get<bool>(zeros, true, "bool");
  wanted.roundsAhead =
      static_cast<int>(reader.getInteger("trident: rounds ahead", wanted.roundsAhead, 0, 1000000));
  wanted.panels = static_cast<int>(reader.getInteger("trident: panels", 0, 0, mostPanels));
  wanted.roundsPerBatch = static_cast<int>(reader.getInteger("trident: rounds per batch", 0, 0, most));
  wanted.windowBytes =
      reader.getInteger("trident: window bytes", 0, 0, std::numeric_limits<long long>::max());
  wanted.maxMessageBytes = reader.getInteger("trident: max message bytes", wanted.maxMessageBytes, 8, most);
  wanted.delaySeed = static_cast<int>(reader.getInteger("trident: delay seed", 0, 0, most));
  wanted.faults.failingRank =
      static_cast<int>(reader.getInteger("trident: inject failure on rank", -1, -1, most));
  return read;
}

}  // namespace detail
}  // namespace Trident
