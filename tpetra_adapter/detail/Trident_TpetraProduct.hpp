#ifndef TRIDENT_TPETRA_PRODUCT_HPP
#define TRIDENT_TPETRA_PRODUCT_HPP

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detail/Trident_Finish.hpp"
#include "detail/Trident_Opening.hpp"
#include "detail/Trident_PhasedProduct.hpp"
#include "multiply/Trident_Prediction.hpp"
#include "topology/Trident_Memory.hpp"

namespace Trident {
namespace detail {

/// One product of Tpetra matrices, however it is computed: its rows become C's.
template <class Types>
class TpetraProduct {
 public:
  using matrix_type = typename Types::matrix_type;
  using Tiles = typename Types::tile_types;
  using Blocks = std::vector<BlockOfRows<Tiles>>;

  /// `opening` must be done, and outlive the product. `begin` is when the call began.
  TpetraProduct(Context& context, Opening<Types>& opening, const Factors<Types>& factors, double begin)
      : context_(context),
        opening_(opening),
        parameters_(opening.parameters()),
        factors_(factors),
        begin_(begin),
        wantsTotals_(opening.parameters().wantsTotals()) {}

  /// Whether what is computed will be kept with C.
  bool keeps(bool fillComplete) const { return parameters_.reuse && fillComplete; }

  /// `frame` is that of C's columns. Fills in `report`. Collective.
  void multiply(std::unique_ptr<Computation<Types>> computation, ProductFrame<Types>& frame,
                bool fillComplete, const ResultMaps<Types>& maps, matrix_type& C, ProductReport& report) {
    const double prepared = MPI_Wtime();
    auto common = std::make_shared<KeptComputation<Types>>();
    common->computation = std::move(computation);
    Computation<Types>& rowsOfC = *common->computation;
    Blocks blocks = rowsOfC.multiply(factors_);

    const Region region("Trident::finish");
    const double finish = MPI_Wtime();
    if (!frame.columns().consecutive()) agreeOrThrow(context_.comm(), rowsOfC.failure());
    const std::vector<TalliedProduct> tallies = talliesOf(rowsOfC);
    std::string failure = rowsOfC.failure();
    ResultAssembly<Types> assembly(frame.spaces().columns, frame.columns(), context_.rank());
    const auto rows =
        assembleRows<Types>([&] { return assembly.assemble(blocks); }, context_.rank(), failure);
    blocks.clear();
    const Settlement settled =
        settleRows(context_, rows, *maps.domain,
                   withMemory(sharesOf(tallies, rowsOfC), keptBytes(rowsOfC, rows)), failure);
    const StateOfC state = frame.stateOfC();
    AskedColumns asking;
    const auto places = completeC(rows, fillComplete, maps, {settled, state, context_, asking}, C);
    if (keeps(fillComplete) && (state == StateOfC::clean || state == StateOfC::graph)) {
      common->print = opening_.print();
      common->order = std::make_unique<RowOrder<Types>>(assembly.order());
      if (state == StateOfC::clean) keepPattern(rows, assembly, settled, asking, common);
      keepWith<Types>(C, std::make_shared<KeptProduct<Types>>(KeptProduct<Types>{
                             common, maps, C.getColMap(), places, state == StateOfC::clean}));
    }
    fillReport(rowsOfC, tallies, settled, wireOf<Tiles>(), report);
    report.secondsPrepare = prepared - begin_;
    report.secondsFinish = MPI_Wtime() - finish;
    report.secondsTotal = MPI_Wtime() - begin_;
  }

  /// The same with the product that C keeps: only values travel.
  void multiplyValues(matrix_type& C, ProductReport& report) {
    KeptProduct<Types>& kept = *opening_.kept();
    ResultMaps<Types> maps = kept.maps;
    maps.computeGlobalConstants = parameters_.computeGlobalConstants;
    const auto local = C.getLocalMatrixHost();
    const auto put = [&](const typename Tiles::Values& values) { putValues<Types>(values, maps, C); };
    const std::size_t room = local.values.extent(0);
    multiplyAgain(*kept.common, *maps.domain, report,
                  {local.graph.row_map.data(), local.graph.entries.data(), room,
                   kept.ownsGraph ? nullptr : &kept.places},
                  put);
  }

  /// The same into a new C, of patterns that are known.
  void multiplyIntoNew(const ResultMaps<Types>& maps, matrix_type& C, ProductReport& report) {
    const std::shared_ptr<KeptComputation<Types>> common = opening_.cached();
    const ResultPattern<Types>& pattern = common->pattern;
    // C gets a pattern of its own: who writes into it writes into no other matrix.
    const auto put = [&](const typename Tiles::Values& values) {
      fillNewC(
          {copied(pattern.rowPtr), copied(pattern.columns), values, pattern.otherGlobals, pattern.others},
          maps, pattern.constants, pattern.asking, C);
    };
    multiplyAgain(*common, *maps.domain, report,
                  {pattern.rowPtr.data(), pattern.columns.data(), pattern.columns.extent(0), nullptr}, put);
    keepWith<Types>(
        C, std::make_shared<KeptProduct<Types>>(KeptProduct<Types>{common, maps, C.getColMap(), {}, true}));
  }

 private:
  template <class View>
  static View copied(const View& from) {
    const auto count = static_cast<std::int64_t>(from.extent(0));
    const auto to = allocate<View>("Trident::C::pattern", count);
    copyRun(from, 0, to, 0, count);
    return to;
  }

  // Where values go: C's pattern, and the places of the product's entries there if it is not their own.
  struct Destination {
    const std::size_t* rowPtr;
    const typename Types::local_ordinal_type* columns;
    std::size_t room;
    const std::vector<std::int64_t>* places;
  };

  // C must stay as it is until all ranks have their values: `put` is called then.
  template <class Put>
  void multiplyAgain(KeptComputation<Types>& common, const typename Types::map_type& domain,
                     ProductReport& report, const Destination& to, const Put& put) {
    const double prepared = MPI_Wtime();
    Computation<Types>& rowsOfC = *common.computation;
    rowsOfC.injectFailureOn(parameters_.plan.faults.failingRank);
    Blocks blocks;
    typename Tiles::Values values;
    const bool intoPattern = rowsOfC.fillsPatterns() && to.places == nullptr;
    if (intoPattern)
      values = sumIntoPattern(common, to);
    else
      blocks = rowsOfC.multiplyValues(factors_);

    const Region region("Trident::finish");
    const double finish = MPI_Wtime();
    const std::vector<TalliedProduct> tallies = talliesOf(rowsOfC);
    std::string failure = rowsOfC.failure();
    if (failure.empty() && !intoPattern) failure = valuesOf(common, blocks, to, values);
    const Settlement settled =
        settleRows(context_, ResultRows<Types>(), domain, sharesOf(tallies, rowsOfC), failure);
    put(values);
    fillReport(rowsOfC, tallies, settled, {0, sizeof(typename Tiles::scalar_type)}, report);
    report.valuesOnly = true;
    report.secondsPrepare = prepared - begin_;
    report.secondsFinish = MPI_Wtime() - finish;
    report.secondsTotal = MPI_Wtime() - begin_;
  }

  // What all ranks keep of this product, and may: two more numbers to be summed up.
  std::vector<std::int64_t> withMemory(std::vector<std::int64_t> shares, std::int64_t bytes) const {
    std::int64_t most = parameters_.patternBytes;
    if (parameters_.patternShare > 0)
      most = static_cast<std::int64_t>(parameters_.patternShare * static_cast<double>(machineBytes())) /
             context_.ranksOnMachine();
    shares.push_back(bytes);
    shares.push_back(most);
    return shares;
  }

  static std::int64_t keptBytes(const Computation<Types>& rowsOfC, const ResultRows<Types>& rows) {
    return rowsOfC.keptBytes() +
           static_cast<std::int64_t>(rows.columns.extent(0) * sizeof(typename Tiles::ordinal_type) +
                                     rows.rowPtr.extent(0) * sizeof(std::size_t));
  }

  void keepPattern(const ResultRows<Types>& rows, const ResultAssembly<Types>& assembly,
                   const Settlement& settled, const AskedColumns& asking,
                   const std::shared_ptr<KeptComputation<Types>>& common) {
    if (common->computation->fillsPatterns()) {
      const auto ids = assembly.idsOfColumns(rows);
      common->blockColumnOf.assign(ids.begin(), ids.end());
    }
    const std::int64_t bytes = settled.extra[settled.extra.size() - 2];
    const std::int64_t most = settled.extra.back();
    if (bytes > most) return;
    common->pattern = {rows.rowPtr, rows.columns, 0, rows.otherGlobals, rows.others, asking, settled};
    common->pattern.constants.askers.clear();
    common->pattern.constants.extra.clear();
    common->pattern.print = common->pattern.printed();
    opening_.cache(common, bytes, most);
  }

  std::vector<TalliedProduct> talliesOf(const Computation<Types>& rowsOfC) const {
    if (!wantsTotals_) return {};
    auto tallies = rowsOfC.tallies();
    const RankCensus& own = opening_.census()[context_.rank()];
    for (TalliedProduct& tallied : tallies) {
      tallied.tally.rows = own.rows.count;
      tallied.tally.inner = own.inner.count;
    }
    // The second of a product of three meets the rows of the first.
    if (tallies.size() > 1) tallies[1].tally.inner = own.rows.count;
    return tallies;
  }

  // What this rank adds to the totals: its tallies, and the bytes it received.
  std::vector<std::int64_t> sharesOf(const std::vector<TalliedProduct>& tallies,
                                     Computation<Types>& rowsOfC) const {
    std::vector<std::int64_t> shares;
    for (const TalliedProduct& tallied : tallies) {
      const auto ofOne = tallyByNode(context_, tallied.tally);
      shares.insert(shares.end(), ofOne.begin(), ofOne.end());
    }
    if (wantsTotals_) shares.push_back(rowsOfC.report().ledger.bytesReceived(Link::Gi));
    return shares;
  }

  void fillReport(Computation<Types>& rowsOfC, const std::vector<TalliedProduct>& tallies,
                  const Settlement& settled, const WireSizes& wire, ProductReport& report) const {
    report = rowsOfC.report();
    auto sums = settled.extra.begin();
    for (const TalliedProduct& tallied : tallies) {
      const auto size = static_cast<std::ptrdiff_t>(tallyByNode(context_, tallied.tally).size());
      addPrediction(tallied.plan, tallied.tally, {sums, sums + size}, wire, report);
      sums += size;
    }
    if (wantsTotals_) report.giBytesOfAllRanks = *sums;
  }

  // Values summed straight into the pattern they will have in C.
  typename Tiles::Values sumIntoPattern(KeptComputation<Types>& common, const Destination& to) const {
    const auto values = zeroValues(static_cast<std::int64_t>(to.room));
    const RowOrder<Types>& order = *common.order;
    common.computation->multiplyInto({to.rowPtr, to.columns, common.blockColumnOf.data(), values.data(),
                                      order.rotates(), order.ownFirst(), order.ownEnd()},
                                     factors_);
    return values;
  }

  static typename Tiles::Values zeroValues(std::int64_t entries) {
    const auto values = allocate<typename Tiles::Values>("Trident::C::newValues", entries);
    adviseHugePages(values.data(), entries * static_cast<std::int64_t>(sizeof(typename Tiles::scalar_type)));
    std::fill_n(values.data(), entries, typename Tiles::scalar_type(0));
    return values;
  }

  // The values of a computation in the order of C's entries. Returns what failed.
  std::string valuesOf(const KeptComputation<Types>& common, Blocks& blocks, const Destination& to,
                       typename Tiles::Values& values) const {
    try {
      std::size_t entries = 0;
      for (const auto& block : blocks) entries += block.columns.extent(0);
      if (entries != (to.places == nullptr ? to.room : to.places->size()))
        throw std::logic_error(std::to_string(entries) + " entries for a C of " + std::to_string(to.room));
      values = zeroValues(static_cast<std::int64_t>(entries));
      common.order->arrange(blocks, values.data());
      if (to.places != nullptr) values = inPlaces<Types>(*to.places, values, to.room);
    } catch (const std::exception& error) {
      return "Trident: placing C's values failed on rank " + std::to_string(context_.rank()) + ": " +
             error.what();
    }
    return {};
  }

  Context& context_;
  Opening<Types>& opening_;
  const Parameters& parameters_;
  const Factors<Types>& factors_;
  double begin_;
  bool wantsTotals_;
};

}  // namespace detail
}  // namespace Trident

#endif
