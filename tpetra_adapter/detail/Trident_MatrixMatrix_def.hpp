#ifndef TRIDENT_MATRIX_MATRIX_DEF_HPP
#define TRIDENT_MATRIX_MATRIX_DEF_HPP

#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "Trident_MatrixMatrix.hpp"
#include "detail/Trident_CompleteC.hpp"
#include "detail/Trident_Opening.hpp"
#include "detail/Trident_ProductFrame.hpp"
#include "multiply/Trident_Prediction.hpp"
#include "multiply/Trident_TiledProduct.hpp"

namespace Trident {
namespace detail {

/// One call of Multiply: from Tpetra matrices to tiles and back.
template <class Types>
class TpetraProduct {
 public:
  using matrix_type = typename Types::matrix_type;
  using map_type = typename Types::map_type;
  using Tiles = typename Types::tile_types;

  /// `census` is what all ranks told, `needed` this rank's rows of B for each node (empty where the plan has
  /// no use for them). All must outlive the product.
  TpetraProduct(Context& context, const Parameters& parameters, const std::vector<RankCensus>& census,
                NeededOfOwner needed)
      : context_(context),
        parameters_(parameters),
        census_(census),
        needed_(std::move(needed)),
        plan_(planAskedFor(parameters, context.topology().nodes())),
        wantsPrediction_(!parameters.report.is_null()) {}

  /// A and B as they are multiplied, transposes done. Fills in `report`. False, with the reason in the report
  /// and nothing done, if this product is not for Trident. Collective.
  bool multiply(const matrix_type& A, const matrix_type& B, bool fillComplete, const ResultMaps<Types>& maps,
                matrix_type& C, ProductReport& report) {
    const double begin = MPI_Wtime();
    ProductFrame<Types> frame(context_, A, B, census_);
    if (const std::string reason = frame.notServed(); !reason.empty()) {
      startReport(report);
      report.handedBack = true;
      report.handBackReason = reason;
      return false;
    }
    makePlan(frame, A, B);
    frame.arrange(plan_);
    startReport(report);
    report.secondsPrepare = MPI_Wtime() - begin;

    TiledProduct<Tiles> product(context_, plan_, frame.spaces(), report);
    auto blocks =
        product.multiplyUnagreed(localRows(A, frame.idsOfA()), localRows(B, frame.idsOfB()), needed_);

    const Region region("Trident::finish");
    const double finish = MPI_Wtime();
    if (!frame.columns().consecutive()) agreeOrThrow(context_.comm(), product.failure());
    const RankTally tally = tallyOf(frame, product, blocks);
    std::string failure = product.failure();
    const auto rows = assemble(
        ResultAssembly<Types>(frame.spaces().columns, frame.columns(), context_.rank()), blocks, failure);
    const Settlement settled = settle(rows, maps, tally, failure);
    if (wantsPrediction_) fillPrediction(plan_, tally, settled.extra, wire(), report);
    complete(rows, fillComplete, maps, settled, frame.stateOfC(), C);
    report.secondsFinish = MPI_Wtime() - finish;
    report.secondsTotal = MPI_Wtime() - begin;
    return true;
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
  RankTally tallyOf(const ProductFrame<Types>& frame, const TiledProduct<Tiles>& product,
                    const std::vector<BlockOfRows<Tiles>>& blocks) const {
    RankTally tally;
    if (!wantsPrediction_) return tally;
    tally = product.tally();
    for (const auto& block : blocks) tally.C.push_back(static_cast<std::int64_t>(block.columns.extent(0)));
    tally.rows = frame.ownRows();
    tally.inner = frame.ownInner();
    return tally;
  }

  // Collective only if C's domain map is not consecutive.
  ResultRows<Types> assemble(ResultAssembly<Types> assembly, std::vector<BlockOfRows<Tiles>>& blocks,
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
                const Settlement& settled, StateOfC state, matrix_type& C) {
    if (fillComplete && state == StateOfC::clean) {
      fillNewC(rows, maps, settled, context_, C);
    } else if (fillComplete && state == StateOfC::graph) {
      replaceValuesOfC(rows, maps, context_.comm(), C);
    } else {
      insertIntoC(rows, maps, context_.comm(), C);
      if (fillComplete) C.fillComplete(maps.domain, maps.range);
    }
  }

  Context& context_;
  const Parameters& parameters_;
  const std::vector<RankCensus>& census_;
  NeededOfOwner needed_;
  Plan plan_;
  bool wantsPrediction_;
};

// A copy: Tpetra writes into the list that it is given, and reuses an importer that it finds there whatever
// it is of.
inline Teuchos::RCP<Teuchos::ParameterList> parametersForTpetra(
    const Teuchos::RCP<Teuchos::ParameterList>& params, const Parameters& read) {
  auto list = params.is_null() ? Teuchos::parameterList() : Teuchos::parameterList(*params);
  list->remove("importer", false);
  list->set("compute global constants", read.computeGlobalConstants);
  return list;
}

template <class Matrix>
Teuchos::RCP<const Matrix> transposed(const Matrix& X) {
  using transposer_type =
      Tpetra::RowMatrixTransposer<typename Matrix::scalar_type, typename Matrix::local_ordinal_type,
                                  typename Matrix::global_ordinal_type, typename Matrix::node_type>;
  return transposer_type(Teuchos::rcpFromRef(X)).createTranspose();
}

}  // namespace detail

namespace MatrixMatrix {

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void Multiply(const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A, bool transposeA,
              const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& B, bool transposeB,
              Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& C,
              bool call_FillComplete_on_result, const std::string& label,
              const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using Types = detail::TpetraTypes<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  const MPI_Comm comm = detail::mpiCommOf(*A.getMap());
  Context& real = Context::of(comm, "");
  detail::Opening<Types> opening(real, params);
  opening.refuse(detail::refusal(A, transposeA, B, transposeB, C));
  opening.expectSame({transposeA, transposeB, call_FillComplete_on_result});

  auto opA = Teuchos::rcpFromRef(A);
  auto opB = Teuchos::rcpFromRef(B);
  if (transposeA || transposeB) {
    opening.agree();
    if (transposeA) opA = detail::transposed(A);
    if (transposeB) opB = detail::transposed(B);
  }
  opening.take(*opA, *opB, C);

  const detail::Parameters& parameters = opening.parameters();
  ProductReport unasked;
  ProductReport& report = parameters.report.is_null() ? unasked : *parameters.report;
  detail::TpetraProduct<Types> product(Context::of(comm, parameters.ranksPerNode), parameters,
                                       opening.census(), opening.needed());
  const bool served = product.multiply(
      *opA, *opB, call_FillComplete_on_result,
      {opB->getDomainMap(), opA->getRangeMap(), parameters.computeGlobalConstants}, C, report);
  if (!served)
    Tpetra::MatrixMatrix::Multiply(A, transposeA, B, transposeB, C, call_FillComplete_on_result, label,
                                   detail::parametersForTpetra(params, parameters));
}

}  // namespace MatrixMatrix
}  // namespace Trident

/// Instantiates our products for one set of Tpetra template arguments, as Tpetra's own macros ask for it.
#define TRIDENT_MATRIX_MATRIX_INSTANT(SC, LO, GO, NO)                                                 \
  template void Trident::MatrixMatrix::Multiply<SC, LO, GO, NO>(                                      \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, \
      Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const std::string&,                                   \
      const Teuchos::RCP<Teuchos::ParameterList>&);

#endif
