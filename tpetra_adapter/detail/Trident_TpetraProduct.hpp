#ifndef TRIDENT_TPETRA_PRODUCT_HPP
#define TRIDENT_TPETRA_PRODUCT_HPP

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detail/Trident_Opening.hpp"
#include "detail/Trident_ProductFrame.hpp"
#include "multiply/Trident_Prediction.hpp"
#include "multiply/Trident_TiledProduct.hpp"

namespace Trident {
namespace detail {

/// One product: from Tpetra matrices to tiles and back.
template <class Types>
class TpetraProduct {
 public:
  using matrix_type = typename Types::matrix_type;
  using map_type = typename Types::map_type;
  using Tiles = typename Types::tile_types;

  /// `opening` must be done, and outlive the product.
  TpetraProduct(Context& context, Opening<Types>& opening)
      : context_(context),
        opening_(opening),
        parameters_(opening.parameters()),
        needed_(opening.needed()),
        plan_(planAskedFor(opening.parameters(), context.topology().nodes())),
        wantsPrediction_(!opening.parameters().report.is_null()) {}

  /// A and B as they are multiplied, transposes done. Fills in `report`. False, with the reason in the report
  /// and nothing done, if this product is not for Trident. Collective.
  bool multiply(const matrix_type& A, const matrix_type& B, bool fillComplete, const ResultMaps<Types>& maps,
                matrix_type& C, ProductReport& report) {
    const double begin = MPI_Wtime();
    ProductFrame<Types> frame(context_, A, B, opening_.census());
    if (const std::string reason = frame.notServed(); !reason.empty()) {
      startReport(report);
      report.handedBack = true;
      report.handBackReason = reason;
      return false;
    }
    makePlan(frame, A, B);
    frame.arrange(plan_);
    auto kept = std::make_shared<KeptProduct<Types>>();
    kept->product = std::make_unique<TiledProduct<Tiles>>(context_, plan_, frame.sharedSpaces());
    TiledProduct<Tiles>& product = *kept->product;
    if (parameters_.reuse && fillComplete) product.record();
    startReport(product.report());
    product.report().secondsPrepare = MPI_Wtime() - begin;

    auto blocks =
        product.multiplyUnagreed(localRows(A, frame.idsOfA()), localRows(B, frame.idsOfB()), needed_);

    const Region region("Trident::finish");
    const double finish = MPI_Wtime();
    if (!frame.columns().consecutive()) agreeOrThrow(context_.comm(), product.failure());
    const RankTally tally = tallyOf(product, blocks);
    std::string failure = product.failure();
    ResultAssembly<Types> assembly(frame.spaces().columns, frame.columns(), context_.rank());
    const auto rows = assemble(assembly, blocks, failure);
    const Settlement settled = settle(rows, maps, tally, failure);
    kept->ownsGraph = frame.stateOfC() == StateOfC::clean;
    complete(rows, fillComplete, maps, settled, frame.stateOfC(), C, kept->places);
    if (parameters_.reuse && fillComplete) {
      kept->print = opening_.print();
      kept->maps = maps;
      kept->columnMap = C.getColMap();
      kept->idsOfA = frame.idsOfA();
      kept->idsOfB = frame.idsOfB();
      kept->order = std::make_unique<RowOrder<Types>>(assembly.order());
      if (kept->ownsGraph && product.fillsPatterns()) {
        const auto ids = assembly.idsOfColumns(rows);
        kept->blockColumnOf.assign(ids.begin(), ids.end());
      }
      if (kept->ownsGraph || frame.stateOfC() == StateOfC::graph) keepWith<Types>(C, kept);
    }
    report = product.report();
    if (wantsPrediction_) fillPrediction(plan_, tally, settled.extra, wire(), report);
    report.secondsFinish = MPI_Wtime() - finish;
    report.secondsTotal = MPI_Wtime() - begin;
    return true;
  }

  /// The same with the product that C keeps: only values travel.
  void multiplyValues(const matrix_type& A, const matrix_type& B, matrix_type& C, ProductReport& report) {
    const double begin = MPI_Wtime();
    KeptProduct<Types>& kept = *opening_.kept();
    TiledProduct<Tiles>& product = *kept.product;
    ResultMaps<Types> maps = kept.maps;
    maps.computeGlobalConstants = parameters_.computeGlobalConstants;
    product.injectFailureOn(parameters_.plan.injectFailureOnRank);
    const auto rowsOfA = localRows(A, kept.idsOfA);
    const auto rowsOfB = localRows(B, kept.idsOfB);
    std::vector<BlockOfRows<Tiles>> blocks;
    typename Tiles::Values values;
    if (product.fillsPatterns() && kept.ownsGraph)
      values = sumIntoPattern(kept, rowsOfA, rowsOfB, C);
    else
      blocks = product.multiplyValuesUnagreed(rowsOfA, rowsOfB);

    const Region region("Trident::finish");
    const double finish = MPI_Wtime();
    const RankTally tally = tallyOf(product, blocks);
    std::string failure = product.failure();
    if (failure.empty() && !blocks.empty()) failure = valuesOf(kept, blocks, C, values);
    const Settlement settled = settle({}, maps, tally, failure);
    putValues<Types>(values, maps, C);
    report = product.report();
    report.valuesOnly = true;
    if (wantsPrediction_)
      fillPrediction(product.plan(), tally, settled.extra, {0, sizeof(typename Tiles::scalar_type)}, report);
    report.secondsFinish = MPI_Wtime() - finish;
    report.secondsTotal = MPI_Wtime() - begin;
  }

 private:
  static WireSizes wire() {
    constexpr std::int64_t ordinalBytes = sizeof(typename Tiles::ordinal_type);
    constexpr std::int64_t scalarBytes = sizeof(typename Tiles::scalar_type);
    return {ordinalBytes, ordinalBytes + scalarBytes};
  }

  // Completes the plan. Where A's importer does not tell who needs which rows of B, one is made that does.
  void makePlan(const ProductFrame<Types>& frame, const matrix_type& A, const matrix_type& B) {
    const NodeGrid oneColumn{context_.topology().nodes(), 1};
    const bool choose = mustChoose(parameters_, context_.topology().nodes());
    const bool mayNeed = plan_.filter == TileFilter::needed && plan_.source == TileSource::owners;
    if (!choose && !mayNeed) return;
    RowConsumers consumers;
    const bool known = frame.importersServe();
    if (!known)
      consumers =
          consumersBy(Teuchos::rcp(new const typename Types::import_type(B.getRowMap(), A.getColMap())));
    else if (!(plan_.grid == oneColumn))
      consumers = consumersBy(A.getGraph()->getImporter());
    if (choose) {
      ProductSizes sizes = frame.sizes();
      if (!known) {
        needed_ = NeededOfOwner(context_.topology(), oneColumn, localSize(*B.getRowMap()), consumers);
        sumNeeded(B, sizes);
      }
      const Member best = Trident::choose(sizes, wire());
      plan_.grid = best.grid;
      plan_.filter = best.filter;
      return;
    }
    if (!known || !(plan_.grid == oneColumn))
      needed_ = NeededOfOwner(context_.topology(), plan_.grid, localSize(*B.getRowMap()), consumers);
  }

  void sumNeeded(const matrix_type& B, ProductSizes& sizes) const {
    RankCensus mine{};
    countNeeded(needed_, context_.topology().nodes(), context_.node(), B, mine);
    std::array<std::int64_t, 2> sums{mine.neededRows, mine.neededEntries};
    checkMpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_INT64_T, MPI_SUM, context_.comm()),
             "MPI_Allreduce");
    sizes.neededRows = sums[0];
    sizes.neededEntries = sums[1];
  }

  void startReport(ProductReport& report) const {
    report = ProductReport();
    const Topology& topology = context_.topology();
    report.ranks = topology.ranks();
    report.nodes = topology.nodes();
    report.rank = context_.rank();
    report.node = context_.node();
    for (int node = 0; node < topology.nodes(); ++node) report.ranksPerNode.push_back(topology.ranksOn(node));
    report.grid = plan_.grid;
    report.rounds = plan_.grid.rounds();
    report.filter = name(plan_.filter);
    report.source = name(plan_.source);
  }

  static LocalRows<Tiles> localRows(const matrix_type& X, const std::vector<std::int64_t>& ids) {
    const auto local = X.getLocalMatrixDevice();
    LocalRows<Tiles> rows;
    rows.rowPtr = local.graph.row_map;
    rows.columns = local.graph.entries;
    rows.values = local.values;
    const Kokkos::View<const std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> hostIds(ids.data(),
                                                                                                ids.size());
    rows.columnIds =
        allocate<typename Tiles::Ids>("Trident::columnIds", static_cast<std::int64_t>(ids.size()));
    Kokkos::deep_copy(rows.columnIds, hostIds);
    return rows;
  }

  // C's entries are counted before assembly takes the blocks apart.
  RankTally tallyOf(const TiledProduct<Tiles>& product, const std::vector<BlockOfRows<Tiles>>& blocks) const {
    RankTally tally;
    if (!wantsPrediction_) return tally;
    tally = product.tally();
    for (const auto& block : blocks) tally.C.push_back(static_cast<std::int64_t>(block.columns.extent(0)));
    const RankCensus& own = opening_.census()[context_.rank()];
    tally.rows = own.rows.count;
    tally.inner = own.inner.count;
    return tally;
  }

  // C's values, not yet in C: it must stay as it is until all ranks have theirs.
  typename Tiles::Values sumIntoPattern(KeptProduct<Types>& kept, const LocalRows<Tiles>& A,
                                        const LocalRows<Tiles>& B, const matrix_type& C) const {
    const auto local = C.getLocalMatrixHost();
    const auto values = zeroValues(static_cast<std::int64_t>(local.values.extent(0)));
    kept.product->multiplyIntoUnagreed(
        {local.graph.row_map.data(), local.graph.entries.data(), kept.blockColumnOf.data(), values.data()}, A,
        B);
    return values;
  }

  static typename Tiles::Values zeroValues(std::int64_t entries) {
    const auto values = allocate<typename Tiles::Values>("Trident::C::newValues", entries);
    adviseHugePages(values.data(), entries * static_cast<std::int64_t>(sizeof(typename Tiles::scalar_type)));
    std::fill_n(values.data(), entries, typename Tiles::scalar_type(0));
    return values;
  }

  // The values of a kept product in the order of C's entries. Returns what failed.
  std::string valuesOf(const KeptProduct<Types>& kept, std::vector<BlockOfRows<Tiles>>& blocks,
                       const matrix_type& C, typename Tiles::Values& values) const {
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

  // Collective only if C's domain map is not consecutive.
  ResultRows<Types> assemble(ResultAssembly<Types>& assembly, std::vector<BlockOfRows<Tiles>>& blocks,
                             std::string& failure) const {
    ResultRows<Types> rows;
    if (failure.empty()) try {
        rows = assembly.assemble(blocks);
      } catch (const std::exception& error) {
        failure =
            "Trident: assembling C failed on rank " + std::to_string(context_.rank()) + ": " + error.what();
      }
    blocks.clear();
    return rows;
  }

  // C is touched only when all ranks have their rows. Throws on all if one has failed.
  Settlement settle(const ResultRows<Types>& rows, const ResultMaps<Types>& maps, const RankTally& tally,
                    const std::string& failure) const {
    Settlement settled;
    settled.failures = failure.empty() ? 0 : 1;
    settled.longestRow = rows.longestRow();
    settled.entries = static_cast<std::int64_t>(rows.columns.extent(0));
    settled.otherColumns = static_cast<std::int64_t>(rows.otherGlobals.size());
    settled.columns = localSize(*maps.domain) + settled.otherColumns;
    settled.askers.assign(static_cast<std::size_t>(context_.topology().ranks()), 0);
    for (const int owner : rows.others.owners) settled.askers[owner] = 1;
    if (wantsPrediction_) settled.extra = tallyByNode(context_, tally);
    settled.settle(context_.comm());
    if (settled.failures > 0) agreeOrThrow(context_.comm(), failure);
    return settled;
  }

  void complete(const ResultRows<Types>& rows, bool fillComplete, const ResultMaps<Types>& maps,
                const Settlement& settled, StateOfC state, matrix_type& C,
                std::vector<std::int64_t>& places) {
    if (fillComplete && state == StateOfC::clean) {
      fillNewC(rows, maps, settled, context_, C);
    } else if (fillComplete && state == StateOfC::graph) {
      places = replaceValuesOfC(rows, maps, context_.comm(), C);
    } else {
      insertIntoC(rows, maps, context_.comm(), C);
      if (fillComplete) C.fillComplete(maps.domain, maps.range);
    }
  }

  Context& context_;
  Opening<Types>& opening_;
  const Parameters& parameters_;
  NeededOfOwner needed_;
  Plan plan_;
  bool wantsPrediction_;
};

}  // namespace detail
}  // namespace Trident

#endif
