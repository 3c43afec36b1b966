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
    auto kept = std::make_shared<KeptProduct<Types>>();
    kept->computation = std::move(computation);
    Computation<Types>& rowsOfC = *kept->computation;
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
    const Settlement settled = settleRows(context_, rows, *maps.domain, sharesOf(tallies, rowsOfC), failure);
    kept->ownsGraph = frame.stateOfC() == StateOfC::clean;
    kept->places = completeC(rows, fillComplete, maps, {settled, frame.stateOfC(), context_}, C);
    if (keeps(fillComplete)) {
      kept->print = opening_.print();
      kept->maps = maps;
      kept->columnMap = C.getColMap();
      kept->order = std::make_unique<RowOrder<Types>>(assembly.order());
      if (kept->ownsGraph && rowsOfC.fillsPatterns()) {
        const auto ids = assembly.idsOfColumns(rows);
        kept->blockColumnOf.assign(ids.begin(), ids.end());
      }
      if (kept->ownsGraph || frame.stateOfC() == StateOfC::graph) keepWith<Types>(C, kept);
    }
    fillReport(rowsOfC, tallies, settled, wireOf<Tiles>(), report);
    report.secondsPrepare = prepared - begin_;
    report.secondsFinish = MPI_Wtime() - finish;
    report.secondsTotal = MPI_Wtime() - begin_;
  }

  /// The same with the product that C keeps: only values travel.
  void multiplyValues(matrix_type& C, ProductReport& report) {
    const double prepared = MPI_Wtime();
    KeptProduct<Types>& kept = *opening_.kept();
    Computation<Types>& rowsOfC = *kept.computation;
    ResultMaps<Types> maps = kept.maps;
    maps.computeGlobalConstants = parameters_.computeGlobalConstants;
    rowsOfC.injectFailureOn(parameters_.plan.injectFailureOnRank);
    Blocks blocks;
    typename Tiles::Values values;
    if (rowsOfC.fillsPatterns() && kept.ownsGraph)
      values = sumIntoPattern(kept, C);
    else
      blocks = rowsOfC.multiplyValues(factors_);

    const Region region("Trident::finish");
    const double finish = MPI_Wtime();
    const std::vector<TalliedProduct> tallies = talliesOf(rowsOfC);
    std::string failure = rowsOfC.failure();
    if (failure.empty() && !blocks.empty()) failure = valuesOf(kept, blocks, C, values);
    const Settlement settled =
        settleRows(context_, ResultRows<Types>(), *maps.domain, sharesOf(tallies, rowsOfC), failure);
    putValues<Types>(values, maps, C);
    fillReport(rowsOfC, tallies, settled, {0, sizeof(typename Tiles::scalar_type)}, report);
    report.valuesOnly = true;
    report.secondsPrepare = prepared - begin_;
    report.secondsFinish = MPI_Wtime() - finish;
    report.secondsTotal = MPI_Wtime() - begin_;
  }

 private:
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

  // C's values, not yet in C: it must stay as it is until all ranks have theirs.
  typename Tiles::Values sumIntoPattern(KeptProduct<Types>& kept, const matrix_type& C) const {
    const auto local = C.getLocalMatrixHost();
    const auto values = zeroValues(static_cast<std::int64_t>(local.values.extent(0)));
    const RowOrder<Types>& order = *kept.order;
    kept.computation->multiplyInto(
        {local.graph.row_map.data(), local.graph.entries.data(), kept.blockColumnOf.data(), values.data(),
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

  // The values of a kept product in the order of C's entries. Returns what failed.
  std::string valuesOf(const KeptProduct<Types>& kept, Blocks& blocks, const matrix_type& C,
                       typename Tiles::Values& values) const {
    try {
      std::size_t entries = 0;
      for (const auto& block : blocks) entries += block.columns.extent(0);
      const std::size_t room = C.getLocalMatrixHost().values.extent(0);
      if (entries != (kept.ownsGraph ? room : kept.places.size()))
        throw std::logic_error(std::to_string(entries) + " entries for a C of " + std::to_string(room));
      values = zeroValues(static_cast<std::int64_t>(entries));
      kept.order->arrange(blocks, values.data());
      if (!kept.ownsGraph) values = inPlaces<Types>(kept.places, values, room);
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
