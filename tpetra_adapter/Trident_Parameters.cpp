#include "detail/Trident_Parameters.hpp"

#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "Trident_MatrixMatrix.hpp"

namespace Trident {
namespace {

using Teuchos::ParameterList;

ParameterList validParameters() {
  ParameterList valid("Trident");
  const Plan plan;
  valid.set("trident: ranks per node", std::string(),
            "Node sizes to assume, \"4\" or \"3,5,4\"; empty: the real nodes, or TRIDENT_RANKS_PER_NODE.");
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
  valid.set("trident: rounds ahead", plan.roundsAhead,
            "How many rounds ahead of their use tiles are sent and received, at least 0.");
  valid.set("trident: rounds per batch", plan.roundsPerBatch,
            "Rounds multiplied in one fused pass; 0: as many as memory allows.");
  valid.set(
      "trident: window bytes", static_cast<long long>(plan.windowBytes),
      "Most that a node's shared window may take; 0: the node's share of half of what /dev/shm has free.");
  valid.set("trident: max message bytes", static_cast<long long>(plan.maxMessageBytes),
            "Longer arrays are sent in several messages; 8 to 2147483647.");
  valid.set("trident: reuse", true,
            "Keep what a product of the same patterns can use with C's graph: then only values travel.");
  valid.set("trident: report", Teuchos::RCP<ProductReport>(),
            "A report to fill in: plan, ledger, prediction, times.");
  valid.set("trident: delay seed", plan.delaySeed,
            "For tests: not 0 delays each rank at random protocol steps.");
  valid.set("trident: inject failure on rank", plan.injectFailureOnRank,
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

// One value, from the top level or the sublist, the top level first.
class Reader {
 public:
  explicit Reader(const ParameterList* list) {
    if (list == nullptr) return;
    lists_.push_back(list);
    const std::string kernel = "matrixmatrix: kernel params";
    if (list->isSublist(kernel)) lists_.push_back(&list->sublist(kernel));
  }

  void requireKnownNames(const ParameterList& valid) const {
    for (const ParameterList* list : lists_)
      for (auto entry = list->begin(); entry != list->end(); ++entry)
        if (isOurs(list->name(entry)) && !valid.isParameter(list->name(entry)))
          throw std::invalid_argument("Trident: unknown parameter \"" + list->name(entry) +
                                      "\"; the known ones are " + knownNames(valid));
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
KindOf choose(const Reader& reader, const std::string& name, std::initializer_list<KindOf> kinds) {
  const auto found = reader.get<std::string>(name, "auto", "string");
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
  const Reader reader(list.get());
  reader.requireKnownNames(validParameters());

  Parameters read;
  const char* environment = std::getenv("TRIDENT_RANKS_PER_NODE");
  read.ranksPerNode = reader.get<std::string>("trident: ranks per node", "", "string");
  if (read.ranksPerNode.empty() && environment != nullptr) read.ranksPerNode = environment;
  read.grid = reader.get<std::string>("trident: grid", "", "string");
  read.reuse = reader.get<bool>("trident: reuse", true, "bool");
  read.report = reader.get<Teuchos::RCP<ProductReport>>("trident: report", Teuchos::null,
                                                        "RCP<Trident::ProductReport>");
  read.computeGlobalConstants = list.is_null() || !list->isType<bool>("compute global constants") ||
                                list->get<bool>("compute global constants");

  constexpr long long most = 2147483647;
  Plan& plan = read.plan;
  plan.filter =
      choose(reader, "trident: filter", {TileFilter::automatic, TileFilter::whole, TileFilter::needed});
  plan.source =
      choose(reader, "trident: tiles from", {TileSource::automatic, TileSource::owners, TileSource::tiles});
  plan.gather = choose(reader, "trident: gather",
                       {GatherKind::automatic, GatherKind::sharedWindow, GatherKind::allgatherv});
  plan.local = choose(reader, "trident: local product",
                      {LocalKind::automatic, LocalKind::host, LocalKind::kokkosKernels});
  plan.roundsAhead =
      static_cast<int>(reader.getInteger("trident: rounds ahead", plan.roundsAhead, 0, 1000000));
  plan.roundsPerBatch = static_cast<int>(reader.getInteger("trident: rounds per batch", 0, 0, most));
  plan.windowBytes = reader.getInteger("trident: window bytes", 0, 0, std::numeric_limits<long long>::max());
  plan.maxMessageBytes = reader.getInteger("trident: max message bytes", plan.maxMessageBytes, 8, most);
  plan.delaySeed = static_cast<int>(reader.getInteger("trident: delay seed", 0, 0, most));
  plan.injectFailureOnRank =
      static_cast<int>(reader.getInteger("trident: inject failure on rank", -1, -1, most));
  return read;
}

}  // namespace detail
}  // namespace Trident
