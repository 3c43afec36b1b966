#ifndef TRIDENT_TPETRA_PRODUCT_HPP
#define TRIDENT_TPETRA_PRODUCT_HPP

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detail/Trident_Finish.hpp"
#include "detail/Trident_JacobiStep.hpp"
#include "detail/Trident_Opening.hpp"
#include "detail/Trident_PhasedProduct.hpp"
#include "detail/Trident_PlanCompletion.hpp"
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
  TpetraProduct(Context& context, Opening<Types>& opening, const JacobiStep<Types>& jacobi)
      : context_(context),
        opening_(opening),
        jacobi_(jacobi),
        parameters_(opening.parameters()),
        needed_(opening.needed()),
        plan_(planAskedFor(opening.parameters(), context.topology().nodes())),
        wantsPrediction_(!opening.parameters().report.is_null()) {
    if (jacobi.wanted()) plan_.skipZerosOfA = false;  // its rows have none that do not count
  }

  /// A and B as they are multiplied, transposes done. Fills in `report`. False, with the reason in the report
  /// and nothing done, if this product is not for Trident. Collective.
  bool multiply(const matrix_type& A, const matrix_type& B, bool fillComplete, const ResultMaps<Types>& maps,
                matrix_type& C, ProductReport& report) {
    const double begin = MPI_Wtime();
    ProductFrame<Types> frame(context_, A, B, opening_.census());
    if (const std::string reason = frame.notServed(); !reason.empty()) {
      report = reportOf(context_, plan_);
      report.handedBack = true;
      report.handBackReason = reason;
      return false;
    }
    needed_ = PlanCompletion<Types>(context_, parameters_, frame, A, B).complete(plan_, std::move(needed_));
    frame.arrange(plan_);
    std::vector<std::int64_t> idsOfA = frame.idsOfA();
    if (jacobi_.wanted()) jacobi_.appendOwnRows(frame.spaces().inner, context_.rank(), idsOfA);
    if (PhasedProduct<Types>::wanted(parameters_) && fillComplete && frame.stateOfC() == StateOfC::clean) {
      report = reportOf(context_, plan_);
      PhasedProduct<Types> phased(
          context_, parameters_, plan_,
          {frame, needed_, leftRows(A, idsOfA), localRows<Types>(B, frame.idsOfB()), maps, C.getRowMap()});
      phased.multiply(C, report);
      report.secondsTotal = MPI_Wtime() - begin;
      return true;
    }
    auto kept = std::make_shared<KeptProduct<Types>>();
    kept->product = std::make_unique<TiledProduct<Tiles>>(context_, plan_, frame.sharedSpaces());
    TiledProduct<Tiles>& product = *kept->product;
    if (parameters_.reuse && fillComplete) product.record();
    product.report() = reportOf(context_, plan_);
    product.report().secondsPrepare = MPI_Wtime() - begin;

    auto blocks = product.multiplyUnagreed(leftRows(A, idsOfA), localRows<Types>(B, frame.idsOfB()), needed_);

    const Region region("Trident::finish");
    const double finish = MPI_Wtime();
    if (!frame.columns().consecutive()) agreeOrThrow(context_.comm(), product.failure());
    const RankTally tally = tallyOf(product, blocks);
    std::string failure = product.failure();
    ResultAssembly<Types> assembly(frame.spaces().columns, frame.columns(), context_.rank());
    const auto rows =
        assembleRows<Types>([&] { return assembly.assemble(blocks); }, context_.rank(), failure);
    blocks.clear();
    const Settlement settled = settleRows(context_, rows, *maps.domain, sharesOf(tally), failure);
    kept->ownsGraph = frame.stateOfC() == StateOfC::clean;
    complete(rows, fillComplete, maps, settled, frame.stateOfC(), C, kept->places);
    if (parameters_.reuse && fillComplete) {
      kept->print = opening_.print();
      kept->maps = maps;
      kept->columnMap = C.getColMap();
      kept->idsOfA = std::move(idsOfA);
      kept->idsOfB = frame.idsOfB();
      kept->order = std::make_unique<RowOrder<Types>>(assembly.order());
      if (kept->ownsGraph && product.fillsPatterns()) {
        const auto ids = assembly.idsOfColumns(rows);
        kept->blockColumnOf.assign(ids.begin(), ids.end());
      }
      if (kept->ownsGraph || frame.stateOfC() == StateOfC::graph) keepWith<Types>(C, kept);
    }
    report = product.report();
    if (wantsPrediction_) fillPrediction(plan_, tally, settled.extra, wireOf<Tiles>(), report);
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
    const auto rowsOfA = leftRows(A, kept.idsOfA);
    const auto rowsOfB = localRows<Types>(B, kept.idsOfB);
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
    const Settlement settled =
        settleRows(context_, ResultRows<Types>(), *maps.domain, sharesOf(tally), failure);
    putValues<Types>(values, maps, C);
    report = product.report();
    report.valuesOnly = true;
    if (wantsPrediction_)
      fillPrediction(product.plan(), tally, settled.extra, {0, sizeof(typename Tiles::scalar_type)}, report);
    report.secondsFinish = MPI_Wtime() - finish;
    report.secondsTotal = MPI_Wtime() - begin;
  }

 private:
  LocalRows<Tiles> leftRows(const matrix_type& A, const std::vector<std::int64_t>& ids) const {
    return jacobi_.wanted() ? jacobi_.rows(A, ids, parameters_.plan.skipZerosOfA) : localRows<Types>(A, ids);
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

  std::vector<std::int64_t> sharesOf(const RankTally& tally) const {
    return wantsPrediction_ ? tallyByNode(context_, tally) : std::vector<std::int64_t>();
  }

  // C's values, not yet in C: it must stay as it is until all ranks have theirs.
  typename Tiles::Values sumIntoPattern(KeptProduct<Types>& kept, const LocalRows<Tiles>& A,
                                        const LocalRows<Tiles>& B, const matrix_type& C) const {
    const auto local = C.getLocalMatrixHost();
    const auto values = zeroValues(static_cast<std::int64_t>(local.values.extent(0)));
    const RowOrder<Types>& order = *kept.order;
    kept.product->multiplyIntoUnagreed(
        {local.graph.row_map.data(), local.graph.entries.data(), kept.blockColumnOf.data(), values.data(),
         order.rotates(), order.ownFirst(), order.ownEnd()},
        A, B);
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
  JacobiStep<Types> jacobi_;
  const Parameters& parameters_;
  NeededOfOwner needed_;
  Plan plan_;
  bool wantsPrediction_;
};

}  // namespace detail
}  // namespace Trident

#endif
