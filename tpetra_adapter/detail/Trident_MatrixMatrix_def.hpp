#ifndef TRIDENT_MATRIX_MATRIX_DEF_HPP
#define TRIDENT_MATRIX_MATRIX_DEF_HPP

#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "Trident_MatrixMatrix.hpp"
#include "detail/Trident_CompleteC.hpp"
#include "detail/Trident_Parameters.hpp"
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

  TpetraProduct(Context& context, const Parameters& parameters)
      : context_(context),
        plan_(parameters.plan),
        decided_(decide(context, parameters, plan_)),
        wantsPrediction_(!parameters.report.is_null()) {}

  /// A and B as they are multiplied, transposes done. Fills in `report`. False, with the reason in the report
  /// and nothing done, if this product is not for Trident. Collective.
  bool multiply(const matrix_type& A, const matrix_type& B, bool fillComplete, ResultMaps<Types> maps,
                matrix_type& C, ProductReport& report) {
    const double begin = MPI_Wtime();
    ProductFrame<Types> frame(context_, A, B, stateOf(C));
    if (const std::string reason = frame.notServed(); !reason.empty()) {
      startReport(report);
      report.handedBack = true;
      report.handBackReason = reason;
      return false;
    }
    const auto needed = makePlan(frame);
    startReport(report);
    report.secondsPrepare = MPI_Wtime() - begin;

    TiledProduct<Tiles> product(context_, plan_, frame.spaces(), report, needed.get());
    auto blocks = product.multiply(localRows(A, frame.idsOfA()), localRows(B, frame.idsOfB()));
    if (wantsPrediction_) predict(frame, product, blocks, report);

    const Region region("Trident::finish");
    const double finish = MPI_Wtime();
    const auto rows =
        assemble(ResultAssembly<Types>(frame.spaces().columns, frame.columns(), context_.rank()), blocks);
    blocks.clear();
    complete(rows, fillComplete, maps, frame.stateOfC(), C);
    report.secondsFinish = MPI_Wtime() - finish;
    report.secondsTotal = MPI_Wtime() - begin;
    return true;
  }

 private:
  // Sets grid and filter as far as the parameters do; false if the sizes have to decide. A grid that is asked
  // for has whole tiles, the paper's, unless the filter is asked for too.
  static bool decide(const Context& context, const Parameters& parameters, Plan& plan) {
    const int nodes = context.topology().nodes();
    const bool anyFilter = plan.filter == TileFilter::automatic;
    if (!parameters.grid.empty())
      plan.grid = NodeGrid::parse(parameters.grid, nodes);
    else if (plan.filter == TileFilter::needed)
      plan.grid = NodeGrid{nodes, 1};
    else
      plan.grid = NodeGrid::nearlySquare(nodes);
    if (anyFilter) plan.filter = TileFilter::whole;
    return !parameters.grid.empty() || !anyFilter || nodes == 1;
  }

  // Completes the plan and arranges the frame for it. The needed rows if the plan's filter wants them.
  std::unique_ptr<NeededRows> makePlan(ProductFrame<Types>& frame) {
    const NodeGrid oneColumn{context_.topology().nodes(), 1};
    const bool mayNeed = !decided_ || plan_.filter == TileFilter::needed;
    frame.arrange(mayNeed ? oneColumn : plan_.grid);
    if (!mayNeed) return nullptr;
    auto needed = std::make_unique<NeededRows>(context_, oneColumn, frame.spaces().inner, frame.idsOfA());
    if (decided_) return needed;

    constexpr std::int64_t ordinalBytes = sizeof(typename Tiles::ordinal_type);
    constexpr std::int64_t scalarBytes = sizeof(typename Tiles::scalar_type);
    const Member best = choose(frame.sizes(*needed), {ordinalBytes, ordinalBytes + scalarBytes});
    plan_.grid = best.grid;
    plan_.filter = best.filter;
    if (plan_.filter == TileFilter::needed) return needed;
    frame.arrange(plan_.grid);
    return nullptr;
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

  void predict(const ProductFrame<Types>& frame, const TiledProduct<Tiles>& product,
               const std::vector<BlockOfRows<Tiles>>& blocks, ProductReport& report) const {
    RankTally tally;
    tally.A = product.entriesOfA();
    tally.B = product.entriesOfB();
    for (const auto& block : blocks) tally.C.push_back(static_cast<std::int64_t>(block.columns.extent(0)));
    tally.needed = product.neededBytes();
    tally.rows = frame.ownRows();
    tally.inner = frame.ownInner();
    predictTraffic(context_, tally, sizeof(typename Tiles::ordinal_type), sizeof(typename Tiles::scalar_type),
                   report);
  }

  // C is touched only when all ranks have their rows.
  ResultRows<Types> assemble(ResultAssembly<Types> assembly, std::vector<BlockOfRows<Tiles>>& blocks) const {
    ResultRows<Types> rows;
    onAllRanksOrNone(context_.comm(),
                     "Trident: assembling C failed on rank " + std::to_string(context_.rank()) + ": ",
                     [&] { rows = assembly.assemble(blocks); });
    return rows;
  }

  void complete(const ResultRows<Types>& rows, bool fillComplete, const ResultMaps<Types>& maps,
                StateOfC state, matrix_type& C) {
    if (fillComplete && state == StateOfC::clean) {
      fillNewC(rows, maps, C);
    } else if (fillComplete && state == StateOfC::graph) {
      replaceValuesOfC(rows, maps, context_.comm(), C);
    } else {
      insertIntoC(rows, maps, context_.comm(), C);
      if (fillComplete) C.fillComplete(maps.domain, maps.range);
    }
  }

  Context& context_;
  Plan plan_;
  bool decided_;
  bool wantsPrediction_;
};

/// Tpetra's own refusals, with Tpetra's text, and those of a C whose rows lie elsewhere or of maps of another
/// communicator. Empty if there is nothing to refuse. Local.
template <class Matrix>
std::string refusal(const Matrix& A, bool transposeA, const Matrix& B, bool transposeB, const Matrix& C) {
  std::ostringstream text;
  text << errorPrefix();
  for (const Matrix* other : {&B, static_cast<const Matrix*>(&C)}) {
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(mpiCommOf(*A.getMap()), mpiCommOf(*other->getMap()), &relation);
    if (relation == MPI_IDENT || relation == MPI_CONGRUENT) continue;
    text << "A is distributed over " << A.getComm()->getSize() << " ranks and " << (other == &B ? "B" : "C")
         << " over " << other->getComm()->getSize() << " of another communicator; they must share one";
    return text.str();
  }
  if (!A.isFillComplete()) return text.str() + "Matrix A is not fill complete.";
  if (!B.isFillComplete()) return text.str() + "Matrix B is not fill complete.";

  const auto rowsOf = [](const Matrix& X) { return X.getRowMap()->getGlobalNumElements(); };
  const auto columnsOf = [](const Matrix& X) { return X.getDomainMap()->getGlobalNumElements(); };
  const auto outerA = transposeA ? columnsOf(A) : rowsOf(A);
  const auto innerA = transposeA ? rowsOf(A) : columnsOf(A);
  const auto innerB = transposeB ? columnsOf(B) : rowsOf(B);
  const auto outerB = transposeB ? rowsOf(B) : columnsOf(B);
  if (innerA != innerB) {
    text << "ERROR, inner dimensions of op(A) and op(B) must match for matrix-matrix product. op(A) is "
         << outerA << 'x' << innerA << ", op(B) is " << innerB << 'x' << outerB;
    return text.str();
  }
  const auto& rowMapOfC = *C.getRowMap();
  if (outerA != rowMapOfC.getGlobalNumElements()) {
    text << "ERROR, dimensions of result C must match dimensions of op(A) * op(B). C has "
         << rowMapOfC.getGlobalNumElements() << " rows, should have " << outerA;
    return text.str();
  }
  if (stateOf(C) == StateOfC::unfilledGraph)
    return text.str() +
           "C has column indices but has never been fill complete; call its fillComplete() first";
  const auto& rowMapOfA = transposeA ? *A.getDomainMap() : *A.getRowMap();
  if (!sameOnThisRank(rowMapOfA, rowMapOfC)) {
    text << "C's row map is not op(A)'s: rank " << A.getComm()->getRank() << " has " << localSize(rowMapOfC)
         << " rows of C and " << localSize(rowMapOfA) << " of op(A), out of " << outerA
         << ", or the same number in another order; make C with op(A)'s row map";
    return text.str();
  }
  return {};
}

/// What ranks must agree on before a product: otherwise they would wait for each other.
inline std::string callAsText(const Parameters& parameters, const std::vector<bool>& flags) {
  std::ostringstream text;
  text << "ranks per node \"" << parameters.ranksPerNode << "\", grid \"" << parameters.grid << "\", report "
       << (parameters.report.is_null() ? "not asked for" : "asked for") << ", flags";
  for (const bool flag : flags) text << ' ' << flag;
  Plan plan = parameters.plan;
  plan.grid = NodeGrid();  // not chosen yet
  text << ", plan\n" << plan;
  return text.str();
}

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

  detail::Parameters parameters;
  std::string unreadable;
  try {
    parameters = detail::readParameters(params);
    const Topology topology = parameters.ranksPerNode.empty()
                                  ? real.topology()
                                  : Topology::forced(real.topology().ranks(), parameters.ranksPerNode);
    if (!parameters.grid.empty()) {
      const NodeGrid grid = NodeGrid::parse(parameters.grid, topology.nodes());
      if (parameters.plan.filter == TileFilter::needed && grid.cols > 1)
        throw std::invalid_argument(
            "Trident: \"trident: filter\" is \"needed\", which takes a grid Nx1; "
            "\"trident: grid\" is \"" +
            parameters.grid + '"');
    }
  } catch (const std::invalid_argument& error) {
    unreadable = error.what();
  }
  const std::string refused = unreadable.empty() ? detail::refusal(A, transposeA, B, transposeB, C) : "";
  agreeOnCallOrThrow(real.comm(), unreadable.empty() ? refused : unreadable,
                     unreadable.empty() ? ErrorType::runtime : ErrorType::argument,
                     detail::callAsText(parameters, {transposeA, transposeB, call_FillComplete_on_result}),
                     "the arguments and parameters of a product");

  const auto opA = transposeA ? detail::transposed(A) : Teuchos::rcpFromRef(A);
  const auto opB = transposeB ? detail::transposed(B) : Teuchos::rcpFromRef(B);
  ProductReport unasked;
  ProductReport& report = parameters.report.is_null() ? unasked : *parameters.report;
  detail::TpetraProduct<Types> product(Context::of(comm, parameters.ranksPerNode), parameters);
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
