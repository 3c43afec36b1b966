#ifndef TRIDENT_MATRIX_MATRIX_DEF_HPP
#define TRIDENT_MATRIX_MATRIX_DEF_HPP

#include <Tpetra_RowMatrixTransposer.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "Trident_MatrixMatrix.hpp"
#include "detail/Trident_CompleteC.hpp"
#include "detail/Trident_Parameters.hpp"
#include "multiply/Trident_Prediction.hpp"
#include "multiply/Trident_TiledProduct.hpp"

namespace Trident {
namespace detail {

inline const char* errorPrefix() { return "TpetraExt::MatrixMatrix::Multiply(): "; }

/// What every rank tells about its part of a product before anything is decided.
struct Census {
  MapPart rows;
  MapPart inner;
  MapPart columns;
  std::int64_t innerImporterFits;  ///< 1 if A's domain map is B's row map on this rank
};

/// One call of Multiply: from Tpetra matrices to tiles and back.
template <class Types>
class TpetraProduct {
 public:
  using matrix_type = typename Types::matrix_type;
  using map_type = typename Types::map_type;
  using Tiles = typename Types::tile_types;

  TpetraProduct(Context& context, const Parameters& parameters) : context_(context), plan_(parameters.plan) {
    const int nodes = context.topology().nodes();
    plan_.grid =
        parameters.grid.empty() ? NodeGrid::nearlySquare(nodes) : NodeGrid::parse(parameters.grid, nodes);
  }

  /// A and B as they are multiplied, transposes done. Fills in `report`. Collective.
  void multiply(const matrix_type& A, const matrix_type& B, bool fillComplete, ResultMaps<Types> maps,
                matrix_type& C, ProductReport& report) {
    const double begin = MPI_Wtime();
    startReport(report);
    takeCensus(A, B);
    const ProductSpaces spaces{space(&Census::rows, BlockOrder::bySlice),
                               space(&Census::inner, BlockOrder::bySlice),
                               space(&Census::columns, BlockOrder::byRank)};
    const auto innerParts = parts(&Census::inner);
    const auto columnParts = parts(&Census::columns);
    const IdMap<Types> inner(B.getRowMap(), innerParts, spaces.inner);
    const IdMap<Types> columns(B.getDomainMap(), columnParts, spaces.columns);
    const auto idsOfA = inner.idsOf(A.getColMap(), importerOfInner(A));
    const auto idsOfB = columns.idsOf(B.getColMap(), B.getGraph()->getImporter());
    agreeOnIds(A, idsOfA, B, idsOfB);
    report.secondsPrepare = MPI_Wtime() - begin;

    TiledProduct<Tiles> product(context_, plan_, spaces, report);
    auto blocks = product.multiply(localRows(A, idsOfA), localRows(B, idsOfB));
    if (wantsPrediction_) predict(product, blocks, report);

    const double finish = MPI_Wtime();
    const auto rows = assemble(ResultAssembly<Types>(spaces.columns, columns, context_.rank()), blocks);
    blocks.clear();
    complete(rows, fillComplete, maps, C);
    report.secondsFinish = MPI_Wtime() - finish;
    report.secondsTotal = MPI_Wtime() - begin;
  }

  void wantPrediction(bool wanted) { wantsPrediction_ = wanted; }

 private:
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
  }

  void takeCensus(const matrix_type& A, const matrix_type& B) {
    const Census mine{partOf(*A.getRowMap()), partOf(*B.getRowMap()), partOf(*B.getDomainMap()),
                      sameOnThisRank(*A.getDomainMap(), *B.getRowMap()) ? 1 : 0};
    census_.resize(static_cast<std::size_t>(context_.topology().ranks()));
    checkMpi(MPI_Allgather(&mine, sizeof(Census), MPI_BYTE, census_.data(), sizeof(Census), MPI_BYTE,
                           context_.comm()),
             "MPI_Allgather");
  }

  std::vector<MapPart> parts(MapPart Census::*dimension) const {
    std::vector<MapPart> all;
    for (const Census& rank : census_) all.push_back(rank.*dimension);
    return all;
  }

  IndexSpace space(MapPart Census::*dimension, BlockOrder order) const {
    std::vector<std::int64_t> counts;
    for (const Census& rank : census_) counts.push_back((rank.*dimension).count);
    return IndexSpace(context_.topology(), plan_.grid, counts, order);
  }

  // A's own importer tells the owners of its columns, if B's rows lie as A's domain map says, on all ranks.
  Teuchos::RCP<const typename Types::import_type> importerOfInner(const matrix_type& A) const {
    for (const Census& rank : census_)
      if (rank.innerImporterFits == 0) return Teuchos::null;
    return A.getGraph()->getImporter();
  }

  void agreeOnIds(const matrix_type& A, const std::vector<std::int64_t>& idsOfA, const matrix_type& B,
                  const std::vector<std::int64_t>& idsOfB) const {
    std::string failure = missing(A, idsOfA, "op(A)", "op(B)'s row map");
    if (failure.empty()) failure = missing(B, idsOfB, "op(B)", "its domain map");
    agreeOrThrow(context_.comm(), failure);
  }

  static std::string missing(const matrix_type& X, const std::vector<std::int64_t>& ids, const char* what,
                             const char* where) {
    for (std::size_t c = 0; c < ids.size(); ++c)
      if (ids[c] < 0) {
        std::ostringstream text;
        text << errorPrefix() << what << " has column "
             << X.getColMap()->getGlobalElement(static_cast<typename Types::local_ordinal_type>(c))
             << ", which " << where << " lacks";
        return text.str();
      }
    return {};
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

  void predict(const TiledProduct<Tiles>& product, const std::vector<BlockOfRows<Tiles>>& blocks,
               ProductReport& report) const {
    RankTally tally;
    tally.A = product.entriesOfA();
    tally.B = product.entriesOfB();
    for (const auto& block : blocks) tally.C.push_back(static_cast<std::int64_t>(block.columns.extent(0)));
    tally.rows = census_[context_.rank()].rows.count;
    tally.inner = census_[context_.rank()].inner.count;
    predictTraffic(context_, tally, sizeof(typename Tiles::ordinal_type), sizeof(typename Tiles::scalar_type),
                   report);
  }

  // C is touched only when all ranks have their rows.
  ResultRows<Types> assemble(ResultAssembly<Types> assembly, std::vector<BlockOfRows<Tiles>>& blocks) const {
    ResultRows<Types> rows;
    std::string failure;
    try {
      rows = assembly.assemble(blocks);
    } catch (const std::exception& error) {
      failure =
          "Trident: assembling C failed on rank " + std::to_string(context_.rank()) + ": " + error.what();
    }
    agreeOrThrow(context_.comm(), failure);
    return rows;
  }

  void complete(const ResultRows<Types>& rows, bool fillComplete, const ResultMaps<Types>& maps,
                matrix_type& C) {
    const bool clean = !C.getGraph()->isLocallyIndexed() && !C.getGraph()->isGloballyIndexed();
    if (fillComplete && clean) {
      fillNewC(rows, maps, C);
    } else if (fillComplete && C.isLocallyIndexed()) {
      replaceValuesOfC(rows, maps, context_.comm(), C);
    } else {
      insertIntoC(rows, maps, context_.comm(), C);
      if (fillComplete) C.fillComplete(maps.domain, maps.range);
    }
  }

  Context& context_;
  Plan plan_;
  bool wantsPrediction_ = false;
  std::vector<Census> census_;
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
  const auto& rowMapOfA = transposeA ? *A.getDomainMap() : *A.getRowMap();
  if (!sameOnThisRank(rowMapOfA, rowMapOfC)) {
    text << "C's row map is not op(A)'s: rank " << A.getComm()->getRank() << " has " << localSize(rowMapOfC)
         << " rows of C and " << localSize(rowMapOfA) << " of op(A), out of " << outerA
         << ", or the same number in another order; make C with op(A)'s row map";
    return text.str();
  }
  return {};
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
              bool call_FillComplete_on_result, const std::string& /* label: for timers */,
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
    if (!parameters.grid.empty()) NodeGrid::parse(parameters.grid, topology.nodes());
  } catch (const std::invalid_argument& error) {
    unreadable = error.what();
  }
  const std::string refused = unreadable.empty() ? detail::refusal(A, transposeA, B, transposeB, C) : "";
  agreeOrThrow(real.comm(), unreadable.empty() ? refused : unreadable,
               unreadable.empty() ? ErrorType::runtime : ErrorType::argument);

  const auto opA = transposeA ? detail::transposed(A) : Teuchos::rcpFromRef(A);
  const auto opB = transposeB ? detail::transposed(B) : Teuchos::rcpFromRef(B);
  ProductReport unasked;
  ProductReport& report = parameters.report.is_null() ? unasked : *parameters.report;
  detail::TpetraProduct<Types> product(Context::of(comm, parameters.ranksPerNode), parameters);
  product.wantPrediction(!parameters.report.is_null());
  product.multiply(*opA, *opB, call_FillComplete_on_result,
                   {opB->getDomainMap(), opA->getRangeMap(), parameters.computeGlobalConstants}, C, report);
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
