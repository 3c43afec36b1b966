#ifndef TRIDENT_TRIPLE_MATRIX_MULTIPLY_DEF_HPP
#define TRIDENT_TRIPLE_MATRIX_MULTIPLY_DEF_HPP

#include <memory>
#include <string>

#include "Trident_MatrixMatrix.hpp"
#include "Trident_TripleMatrixMultiply.hpp"
#include "detail/Trident_ChainProduct.hpp"
#include "detail/Trident_ProductLog.hpp"
#include "detail/Trident_ProductPlanning.hpp"
#include "detail/Trident_Refusal.hpp"
#include "detail/Trident_StockProducts.hpp"
#include "detail/Trident_TpetraProduct.hpp"
#include "exchange/Trident_TraceFile.hpp"
#include "observe/Trident_FailingTogether.hpp"
#include "observe/Trident_Waiting.hpp"

namespace Trident {
namespace detail {

/// One call of a triple product: Ac = op(R) * op(A) * op(P).
template <class Types>
class TripleCall {
 public:
  using matrix_type = typename Types::matrix_type;

  TripleCall(const Operand<matrix_type>& R, const Operand<matrix_type>& A, const Operand<matrix_type>& P,
             const std::string& label, const Teuchos::RCP<Teuchos::ParameterList>& params)
      : R_(R),
        A_(A),
        P_(P),
        label_(label),
        params_(params),
        opening_(Context::of(mpiCommOf(*A.X->getMap()), ""), params) {}

  /// Collective.
  void multiply(matrix_type& Ac) {
    opening_.refuse(refusal<matrix_type>(errorPrefix, {R_, A_, P_}, Ac, "Ac"));
    opening_.expectSame({R_.transposed, A_.transposed, P_.transposed, true, true});
    const Parameters& parameters = opening_.parameters();
    ProductReport unasked;
    ProductReport& report = parameters.report.is_null() ? unasked : *parameters.report;
    if (PhasedProduct<Types>::wanted(parameters) && !parameters.tpetra)
      return failingTogether(opening_.comm(), [&] { multiplyInPhases(Ac); });
    if (!failingTogether(opening_.comm(), [&] { return multiplyHere(Ac, report); }))
      leaveToTpetra(Ac, report);
    logProduct(ProductKind::multiplyRAP, label_, report);
  }

 private:
  static constexpr const char* errorPrefix = "TpetraExt::TripleMatrixMultiply::MultiplyRAP(): ";

  static Teuchos::RCP<const matrix_type> plain(const Operand<matrix_type>& X) {
    return X.transposed ? transposed(*X.X) : Teuchos::rcpFromRef(*X.X);
  }

  ResultMaps<Types> resultMaps(const Factors<Types>& factors) const {
    return {factors.B->getDomainMap(),
            R_.transposed ? R_.X->getDomainMap() : R_.X->getRangeMap(),
            opening_.parameters().computeGlobalConstants,
            factors.A->getComm(),
            hasImporter(factors),
            errorPrefix};
  }

  // False if it is not for Trident; the report says why.
  bool multiplyHere(matrix_type& Ac, ProductReport& report) {
    if (opening_.parameters().tpetra) {
      opening_.agree();
      report =
          reportOfHandBack(Context::of(mpiCommOf(*A_.X->getMap()), ""), "\"trident: plan\" is \"tpetra\"");
      return false;
    }
    return opening_.gridAskedFor().cols == 1 ? multiplyAtHome(Ac, report) : multiplyInTiles(Ac, report);
  }

  // On one column of nodes. False if it is not for Trident; the report says why.
  bool multiplyAtHome(matrix_type& Ac, ProductReport& report) {
    const double begin = MPI_Wtime();
    if (A_.transposed || P_.transposed) opening_.agree();
    const auto A = plain(A_);
    const auto P = plain(P_);
    // First with a transposed R where it lies; if that will not do, transposed.
    for (const bool partialRows : {true, false}) {
      if (partialRows && !(R_.transposed && mayStayTransposed(opening_, true))) continue;
      if (R_.transposed && !partialRows) opening_.agree();
      const auto R = partialRows ? Teuchos::rcpFromRef(*R_.X) : plain(R_);
      const Factors<Types> factors{R.get(), A.get(), P.get(), {}, partialRows};
      opening_.take(factors, Ac, true);
      Context& context = Context::of(mpiCommOf(*A->getMap()), opening_.parameters().ranksPerNode);
      const ObservedProduct observed(context, report.engine);
      TpetraProduct<Types> product(context, opening_, factors, begin);
      if (opening_.kept()) {
        product.multiplyValues(Ac, report);
        return true;
      }
      if (opening_.cached()) {
        product.multiplyIntoNew(resultMaps(factors), Ac, report);
        return true;
      }
      ProductPlanning<Types> planning(context, opening_, factors);
      if (partialRows && !opening_.outerServes()) continue;
      if (planning.handsBack(report)) return false;
      auto triple = planning.makeTriple();
      if (product.keeps(true)) triple->record();
      product.multiply(std::move(triple), planning.frame(), true, resultMaps(factors), Ac, report);
      return true;
    }
    return false;
  }

  // On a grid of several columns, as a chain: A*P stays in tiles. False if it is not for Trident.
  bool multiplyInTiles(matrix_type& Ac, ProductReport& report) {
    const double begin = MPI_Wtime();
    opening_.agree();
    const auto R = plain(R_);
    const auto A = plain(A_);
    const auto P = plain(P_);
    const Factors<Types> factors{R.get(), A.get(), P.get(), {}, false};
    opening_.keepNothing();  // chains are not kept
    opening_.take(factors, Ac, false);
    Context& context = Context::of(mpiCommOf(*A->getMap()), opening_.parameters().ranksPerNode);
    ProductPlanning<Types> planning(context, opening_, factors);
    if (planning.handsBack(report)) return false;
    const auto AP = multiplyChain<Types>({A.get(), nullptr}, {P.get(), nullptr}, params_);
    const auto RAP = multiplyChain<Types>({R.get(), nullptr}, {nullptr, AP.get()}, params_);
    completeFromTiles(*RAP, resultMaps(factors), planning.frame().stateOfC(), Ac);
    report = joinedReport(AP->product->report(), RAP->product->report());
    if (opening_.parameters().wantsTotals()) {
      report.giBytesOfAllRanks = report.ledger.bytesReceived(Link::Gi);
      checkMpi(watchedAllreduce(MPI_IN_PLACE, &report.giBytesOfAllRanks, 1, MPI_INT64_T, MPI_SUM,
                                context.comm(), "the totals"),
               "MPI_Allreduce");
    }
    report.secondsTotal = MPI_Wtime() - begin;
    return true;
  }

  // Under a memory budget, or given away in phases: A*P as a matrix, and Ac in phases. They are logged as
  // what they are, two products.
  void multiplyInPhases(matrix_type& Ac) {
    opening_.agree();
    const auto params = Teuchos::parameterList(*params_);
    for (const auto& list : {params, Teuchos::sublist(params, "matrixmatrix: kernel params")})
      for (const char* ofAc : {"trident: phase callback", "trident: column phases", "trident: report"})
        list->remove(ofAc, false);
    const auto rowMap = A_.rowMap();
    matrix_type AP(rowMap, 0);
    MatrixMatrix::Multiply(*A_.X, A_.transposed, *P_.X, P_.transposed, AP, true, label_, params);
    MatrixMatrix::Multiply(*R_.X, R_.transposed, AP, false, Ac, true, label_, params_);
  }

  // Two of Tpetra's products: its triple product reads out of bounds where R has columns of other ranks.
  void leaveToTpetra(matrix_type& Ac, ProductReport& report) {
    const double begin = MPI_Wtime();
    const auto& stock = StockProducts<Types>::get();
    const auto list = parametersForTpetra(params_, opening_.parameters());
    const auto rowMap = A_.rowMap();
    matrix_type AP(rowMap, 0);
    stock.multiply(*A_.X, A_.transposed, *P_.X, P_.transposed, AP, true, label_, list);
    stock.multiply(*R_.X, R_.transposed, AP, false, Ac, true, label_,
                   parametersForTpetra(params_, opening_.parameters()));
    report.secondsTotal = MPI_Wtime() - begin;
  }

  Operand<matrix_type> R_, A_, P_;
  std::string label_;
  Teuchos::RCP<Teuchos::ParameterList> params_;
  Opening<Types> opening_;
};

}  // namespace detail

namespace TripleMatrixMultiply {

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void MultiplyRAP(const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& R, bool transposeR,
                 const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A, bool transposeA,
                 const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& P, bool transposeP,
                 Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& Ac,
                 bool /* call_FillComplete_on_result */, const std::string& label,
                 const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using Types = detail::TpetraTypes<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  detail::TripleCall<Types>({&R, transposeR, "R"}, {&A, transposeA, "A"}, {&P, transposeP, "P"}, label,
                            params)
      .multiply(Ac);
}

}  // namespace TripleMatrixMultiply
}  // namespace Trident

/// Instantiates the triple product for one set of Tpetra template arguments.
#define TRIDENT_TRIPLE_MATRIX_MULTIPLY_INSTANT(SC, LO, GO, NO)                                        \
  template void Trident::TripleMatrixMultiply::MultiplyRAP<SC, LO, GO, NO>(                           \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool,       \
      const std::string&, const Teuchos::RCP<Teuchos::ParameterList>&);

#endif
