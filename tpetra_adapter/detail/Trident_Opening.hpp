#ifndef TRIDENT_OPENING_HPP
#define TRIDENT_OPENING_HPP

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "detail/Trident_Census.hpp"
#include "detail/Trident_Parameters.hpp"
#include "detail/Trident_PatternCache.hpp"
#include "observe/Trident_Watchdog.hpp"

namespace Trident {
namespace detail {

/// Whether the sizes have to decide: neither grid nor filter is given, and there is more than one node.
inline bool mustChoose(const Parameters& parameters, int nodes) {
  return parameters.grid.empty() && parameters.plan.filter == TileFilter::automatic && nodes > 1;
}

/// The plan as far as the parameters decide it. A grid that is asked for has whole tiles, the paper's, unless
/// the filter is asked for too; needed rows without a grid are node-aware 1D.
inline Plan planAskedFor(const Parameters& parameters, int nodes) {
  Plan plan = parameters.plan;
  if (!parameters.grid.empty())
    plan.grid = NodeGrid::parse(parameters.grid, nodes);
  else if (plan.filter == TileFilter::whole)
    plan.grid = NodeGrid::nearlySquare(nodes);
  else
    plan.grid = NodeGrid{nodes, 1};
  if (plan.source == TileSource::automatic) plan.source = TileSource::owners;
  if (plan.filter == TileFilter::automatic) plan.filter = TileFilter::whole;
  return plan;
}

/// What ranks must agree on before a product: otherwise they would wait for each other.
inline std::string callAsText(const Parameters& parameters, const std::vector<bool>& flags) {
  std::ostringstream text;
  if (parameters.machine)
    text << "machine " << parameters.machine->giLatency << ',' << parameters.machine->giBytesPerSecond
         << ", ";
  text << (parameters.tpetra ? "left to Tpetra, " : "") << "ranks per node \"" << parameters.ranksPerNode
       << "\", grid \"" << parameters.grid << "\", column phases " << parameters.columnPhases
       << ", memory budget " << parameters.memoryBudget << ' ' << parameters.memoryShare
       << (parameters.hasPhaseCallback() ? ", a" : ", no") << " phase callback, zeros "
       << (parameters.plan.skipZerosOfA ? "skipped" : "kept") << ", flags";
  for (const bool flag : flags) text << ' ' << flag;
  Plan plan = parameters.plan;
  plan.grid = NodeGrid();  // not chosen yet
  text << ", panels " << plan.panels << ", plan\n" << plan;
  return text.str();
}

/// The opening of a product: parameters, refusals, and what every rank tells about its part. A call that is
/// wrong on one rank, or not the same on all, throws on all.
template <class Types>
class Opening {
 public:
  using matrix_type = typename Types::matrix_type;

  /// Local. `real` is the context of the real nodes.
  Opening(Context& real, const Teuchos::RCP<Teuchos::ParameterList>& params) : real_(real) {
    try {
      parameters_ = readParameters(params);
      parameters_.plan.skipZerosOfA = parameters_.skipZeros.value_or(tpetraSkipsZeros);
      topology_ = std::make_unique<Topology>(
          parameters_.ranksPerNode.empty()
              ? real.topology()
              : Topology::forced(real.topology().ranks(), parameters_.ranksPerNode));
      if (!parameters_.grid.empty()) NodeGrid::parse(parameters_.grid, topology_->nodes());
    } catch (const std::invalid_argument& error) {
      message_ = error.what();
      type_ = ErrorType::argument;
    }
  }

  /// Local. What is wrong with the arguments, if anything.
  void refuse(const std::string& message) {
    if (message_.empty()) message_ = message;
  }

  /// Local. Flags that must be the same on all ranks.
  void expectSame(const std::vector<bool>& flags) {
    call_ = callAsText(parameters_, flags);
    text_ = call_ + (parameters_.report.is_null() ? "no report" : "a report") + " asked for, " +
            (parameters_.log ? "logged" : "not logged") + " (TRIDENT_REPORT), " +
            (parameters_.reuse ? "" : "not ") + "kept for reuse, pattern memory " +
            std::to_string(parameters_.patternBytes) + ' ' + std::to_string(parameters_.patternShare) +
            (parameters_.computeGlobalConstants ? ", " : ", no ") + "global constants";
  }

  /// Throws std::invalid_argument or std::runtime_error on every rank unless all is well on all. Collective:
  /// one all-gather.
  void agree() { gather(RankCensus{}); }

  /// The same, and takes the census of the factors and C, which is `completed` or not. Collective: one
  /// all-gather; two if some ranks keep this product and others do not.
  void take(const Factors<Types>& factors, const matrix_type& C, bool completed) {
    RankCensus mine = censusWith(factors, C, completed);
    const bool guessed = mine.keeps != nothingKept;
    if (!guessed) prepareNeededOrSay(factors, mine);
    gather(mine);
    if (!allKeep(keptWithC)) kept_.reset();
    if (requiresKept_ && !kept_ && (!factors.partialRows || outerServes())) refuseOtherPatterns();
    if (allKeep(keptPattern)) cached_ = real_.template attached<PatternCache<Types>>().find(productNumber());
    if (kept_ || cached_ || allKeep(nothingKept)) return;
    if (guessed) prepareNeededOrSay(factors, mine);
    mine.keeps = nothingKept;
    gather(mine);
  }

  /// The product is to be kept, whatever the parameters say; required: it must be kept already.
  void keep() { parameters_.reuse = true; }
  void requireKept() { requiresKept_ = true; }

  /// The product that C keeps, if it is this one on all ranks; null otherwise.
  const std::shared_ptr<KeptProduct<Types>>& kept() const { return kept_; }

  /// What is known of these patterns, for a C that is new, if it is on all ranks; null otherwise.
  const std::shared_ptr<KeptComputation<Types>>& cached() const { return cached_; }

  /// What the product to be kept will be known by; empty if none is wanted.
  const ProductPrint& print() const { return print_; }

  /// Keeps what is known of these patterns for other C's. `bytes` and `most` are of all ranks. Local.
  void cache(const std::shared_ptr<KeptComputation<Types>>& computation, std::int64_t bytes,
             std::int64_t most) {
    real_.template attached<PatternCache<Types>>().keep(productNumber(), computation, bytes, most);
  }

  const Parameters& parameters() const { return parameters_; }

  /// The communicator of the product's ranks.
  MPI_Comm comm() const { return real_.comm(); }

  /// The plan's grid as far as the parameters decide it; of ill-formed ones, that of one node.
  NodeGrid gridAskedFor() const {
    return message_.empty() ? planAskedFor(parameters_, topology_->nodes()).grid : NodeGrid{1, 1};
  }
  const std::vector<RankCensus>& census() const { return census_; }

  /// Whether the leftmost factor's rows or columns lie as the others' rows do, on all ranks. After take().
  bool outerServes() const {
    return std::all_of(census_.begin(), census_.end(),
                       [](const RankCensus& rank) { return rank.outerServes == 1; });
  }

  /// Nothing is kept of this product, whatever the parameters say.
  void keepNothing() { parameters_.reuse = false; }

  /// This rank's rows of B for each node, where node-aware 1D may be chosen and A's importer tells. Given
  /// away.
  NeededOfOwner needed() { return std::move(needed_); }

 private:
  // Tpetra's Serial kernels do; those of KokkosKernels, which it takes on other nodes, do not.
#ifdef KOKKOS_ENABLE_SERIAL
  static constexpr bool tpetraSkipsZeros =
      std::is_same<typename Types::node_type::execution_space, Kokkos::Serial>::value;
#else
  static constexpr bool tpetraSkipsZeros = false;
#endif

  void gather(RankCensus mine) {
    mine.statement = statementOf(message_, type_, text_);
    census_ = gatherCensus(real_.comm(), mine);
    std::vector<Statement> statements;
    for (const RankCensus& rank : census_) statements.push_back(rank.statement);
    agreeOnStatements(real_.comm(), statements, message_, text_, "the arguments and parameters of a product");
  }

  // RankCensus::keeps.
  static constexpr std::int64_t nothingKept = 0;
  static constexpr std::int64_t keptWithC = 1;
  static constexpr std::int64_t keptPattern = 2;

  bool allKeep(std::int64_t what) const {
    return std::all_of(census_.begin(), census_.end(),
                       [what](const RankCensus& rank) { return rank.keeps == what; });
  }

  // On all ranks: what they have told each other decides.
  [[noreturn]] void refuseOtherPatterns() const {
    const auto other = std::find_if(census_.begin(), census_.end(),
                                    [](const RankCensus& rank) { return rank.keeps != keptWithC; });
    throw std::invalid_argument(
        "Trident: execute() was given matrices of other patterns than the product was made of, on rank " +
        std::to_string(other - census_.begin()) + "; make a new Product");
  }

  // One number for the prints of all ranks: what is alike on one rank need not be on another.
  std::uint64_t productNumber() const {
    std::vector<std::uint64_t> prints;
    for (const RankCensus& rank : census_) prints.push_back(rank.print);
    return printOf(prints.data(), prints.size(), 1);
  }

  RankCensus censusWith(const Factors<Types>& factors, const matrix_type& C, bool completed) {
    RankCensus mine{};
    if (message_.empty()) try {
        mine = censusOf(factors, C);
        if (parameters_.reuse)
          print_ = printOfProduct(call_ + ownText() + (factors.partialRows ? ", partial rows" : ""), factors);
        mine.print = print_.number();
        mine.keeps = whatIsKept(C, completed && mine.stateOfC == static_cast<std::int64_t>(StateOfC::clean));
      } catch (const std::exception& error) {
        sayFailed(error);
      }
    return mine;
  }

  std::int64_t whatIsKept(const matrix_type& C, bool isNew) {
    kept_ = isNew ? nullptr : keptWith<Types>(C);
    if (kept_ && kept_->serves(print_, C)) return keptWithC;
    kept_.reset();
    const bool known =
        isNew && parameters_.reuse && real_.template attached<PatternCache<Types>>().knows(print_.number());
    return known ? keptPattern : nothingKept;
  }

  // Of the leftmost factor that stays where it is: of A^T * B no row of B moves.
  void prepareNeededOrSay(const Factors<Types>& factors, RankCensus& mine) {
    if (factors.R == nullptr && factors.partialRows) return;
    if (message_.empty()) try {
        prepareNeeded(*factors.A, *factors.B, mine);
      } catch (const std::exception& error) {
        sayFailed(error);
      }
  }

  // Of the tests' parameters, which need not be the same on all ranks. A failure is injected into what is
  // kept, too.
  std::string ownText() const { return ", delays " + std::to_string(parameters_.plan.delaySeed); }

  void sayFailed(const std::exception& error) {
    message_ =
        "Trident: preparing a product failed on rank " + std::to_string(real_.rank()) + ": " + error.what();
  }

  void prepareNeeded(const matrix_type& A, const matrix_type& B, RankCensus& mine) {
    const int nodes = topology_->nodes();
    const NodeGrid oneColumn{nodes, 1};
    const Plan plan = planAskedFor(parameters_, nodes);
    const bool wanted =
        mustChoose(parameters_, nodes) || (plan.filter == TileFilter::needed && plan.grid == oneColumn);
    if (!wanted || mine.importersServe == 0) return;
    needed_ = NeededOfOwner(*topology_, oneColumn, localSize(*B.getRowMap()),
                            consumersBy(A.getGraph()->getImporter()));
    if (mustChoose(parameters_, nodes)) countNeeded(needed_, nodes, topology_->nodeOf(real_.rank()), B, mine);
  }

  Context& real_;
  Watchdog::Watched watched_{real_.comm()};
  Parameters parameters_;
  std::unique_ptr<Topology> topology_;
  std::string message_;
  ErrorType type_ = ErrorType::runtime;
  std::string call_;  ///< what a product depends on
  std::string text_;  ///< what ranks must agree on
  std::vector<RankCensus> census_;
  NeededOfOwner needed_;
  bool requiresKept_ = false;
  ProductPrint print_;
  std::shared_ptr<KeptProduct<Types>> kept_;
  std::shared_ptr<KeptComputation<Types>> cached_;
};

}  // namespace detail
}  // namespace Trident

#endif
