#ifndef TRIDENT_MATRIX_MATRIX_DEF_HPP
#define TRIDENT_MATRIX_MATRIX_DEF_HPP

#include <string>

#include "Trident_MatrixMatrix.hpp"
#include "Trident_Product.hpp"
#include "detail/Trident_ProductLog.hpp"
#include "detail/Trident_ProductPlanning.hpp"
#include "detail/Trident_Refusal.hpp"
#include "detail/Trident_StockProducts.hpp"
#include "detail/Trident_TpetraProduct.hpp"
#include "exchange/Trident_TraceFile.hpp"
#include "observe/Trident_FailingTogether.hpp"

namespace Trident {
namespace detail {

/// What a product of two is asked to do.
template <class Types>
struct ProductCall {
  const typename Types::matrix_type* A;
  bool transposeA;
  const typename Types::matrix_type* B;
  bool transposeB;
  JacobiStep<Types> jacobi = {};
  bool fillComplete = true;
  bool keep = false;        ///< whatever the parameters say
  bool valuesOnly = false;  ///< C must keep the product already
  std::string label = {};   ///< in the log, and of Tpetra's timers if it is handed back

  const char* errorPrefix() const {
    return jacobi.wanted() ? "TpetraExt::MatrixMatrix::Jacobi(): " : "TpetraExt::MatrixMatrix::Multiply(): ";
  }
  std::string refusal(const typename Types::matrix_type& C) const {
    const std::string text = detail::refusal<typename Types::matrix_type>(
        errorPrefix(), {{A, transposeA, "A"}, {B, transposeB, "B"}}, C, "C");
    return text.empty() && jacobi.wanted() ? jacobi.refusal(*A, *B) : text;
  }
};

/// Tpetra's own product. It is timed, as nothing else is known of it.
template <class Types>
void leaveToTpetra(const ProductCall<Types>& call, typename Types::matrix_type& C,
                   const Teuchos::RCP<Teuchos::ParameterList>& params, ProductReport& report) {
  const double begin = MPI_Wtime();
  const auto& stock = StockProducts<Types>::get();
  if (call.jacobi.wanted())
    stock.jacobi(call.jacobi.omega, *call.jacobi.Dinv, *call.A, *call.B, C, call.fillComplete, call.label,
                 params);
  else
    stock.multiply(*call.A, call.transposeA, *call.B, call.transposeB, C, call.fillComplete, call.label,
                   params);
  report.secondsTotal = MPI_Wtime() - begin;
}

/// The factors as they are multiplied. A transposed A stays if it can be multiplied by partial rows.
template <class Types>
class TransposedFactors {
 public:
  /// Collective if something is transposed. `partialRows` if A may stay.
  TransposedFactors(const ProductCall<Types>& call, bool partialRows)
      : A_(Teuchos::rcpFromRef(*call.A)), B_(Teuchos::rcpFromRef(*call.B)), errorPrefix_(call.errorPrefix()) {
    if (call.transposeA && !partialRows) A_ = transposed(*call.A);
    if (call.transposeB) B_ = transposed(*call.B);
    factors_ = {nullptr, A_.get(), B_.get(), call.jacobi, call.transposeA && partialRows};
  }
  TransposedFactors(const TransposedFactors&) = delete;
  TransposedFactors& operator=(const TransposedFactors&) = delete;

  const Factors<Types>& factors() const { return factors_; }

  ResultMaps<Types> resultMaps(const Parameters& parameters) const {
    return {B_->getDomainMap(),
            factors_.partialRows ? A_->getDomainMap() : A_->getRangeMap(),
            parameters.computeGlobalConstants,
            A_->getComm(),
            hasImporter(factors_),
            errorPrefix_};
  }

 private:
  Teuchos::RCP<const typename Types::matrix_type> A_;
  Teuchos::RCP<const typename Types::matrix_type> B_;
  Factors<Types> factors_;
  const char* errorPrefix_;
};

/// Multiplies what the opening has taken. False, and nothing done, if it is not for Trident or `factors` do
/// not lie as partial rows need them; `report` says why.
template <class Types>
bool multiplyFactors(const TransposedFactors<Types>& taken, bool fillComplete, Opening<Types>& opening,
                     typename Types::matrix_type& C, ProductReport& report) {
  const double begin = MPI_Wtime();
  const Factors<Types>& factors = taken.factors();
  const Parameters& parameters = opening.parameters();
  Context& context = Context::of(mpiCommOf(*factors.A->getMap()), parameters.ranksPerNode);
  const ObservedProduct observed(context, report.engine);
  TpetraProduct<Types> product(context, opening, factors, begin);
  if (opening.kept()) {
    product.multiplyValues(C, report);
    return true;
  }
  if (opening.cached()) {
    product.multiplyIntoNew(taken.resultMaps(parameters), C, report);
    return true;
  }
  ProductPlanning<Types> planning(context, opening, factors);
  if (factors.partialRows && !opening.outerServes()) return false;
  if (planning.handsBack(report)) return false;
  const ResultMaps<Types> maps = taken.resultMaps(parameters);
  if (factors.partialRows) {
    auto partialRows = planning.makePartialRows();
    product.multiply(std::move(partialRows), planning.frame(), fillComplete, maps, C, report);
    return true;
  }
  planning.planRows();
  const bool clean = planning.frame().stateOfC() == StateOfC::clean;
  if (PhasedProduct<Types>::wanted(parameters) && fillComplete && clean) {
    report = reportOf(context, planning.plan());
    const auto rows = planning.makeRows();
    PhasedProduct<Types> phased(context, parameters, planning.plan(),
                                {planning.frame(), rows->needed(), rows->rowsOfA(factors),
                                 rows->rowsOfB(factors), maps, C.getRowMap()});
    phased.multiply(C, report);
    report.secondsTotal = MPI_Wtime() - begin;
    return true;
  }
  auto rows = planning.makeRows();
  if (product.keeps(fillComplete)) rows->record();
  product.multiply(std::move(rows), planning.frame(), fillComplete, maps, C, report);
  return true;
}

/// A call that all ranks may make, with A where it lies or transposed. False if it is not for Trident; the
/// report says why.
template <class Types>
bool multiplyHere(const ProductCall<Types>& call, Opening<Types>& opening, typename Types::matrix_type& C,
                  ProductReport& report) {
  if (opening.parameters().tpetra) {
    opening.agree();
    report =
        reportOfHandBack(Context::of(mpiCommOf(*call.A->getMap()), ""), "\"trident: plan\" is \"tpetra\"");
    return false;
  }
  report = ProductReport();  // the caller's may be of an earlier product, which was handed back
  // First with A where it lies; if that will not do, transposed.
  for (const bool partialRows : {true, false}) {
    if (partialRows && !(call.transposeA && mayStayTransposed(opening, call.fillComplete))) continue;
    if (call.transposeB || (call.transposeA && !partialRows)) opening.agree();
    const TransposedFactors<Types> factors(call, partialRows);
    opening.take(factors.factors(), C, call.fillComplete);
    if (multiplyFactors(factors, call.fillComplete, opening, C, report)) return true;
    if (report.handedBack) break;
  }
  return false;
}

/// One call of a product of two, whichever way it is made.
template <class Types>
void multiplyTpetra(const ProductCall<Types>& call, typename Types::matrix_type& C,
                    const Teuchos::RCP<Teuchos::ParameterList>& params) {
  Opening<Types> opening(Context::of(mpiCommOf(*call.A->getMap()), ""), params);
  if (call.keep) opening.keep();
  if (call.valuesOnly) opening.requireKept();
  opening.refuse(call.refusal(C));
  opening.expectSame({call.transposeA, call.transposeB, call.fillComplete, call.jacobi.wanted()});

  const Parameters& parameters = opening.parameters();
  ProductReport unasked;
  ProductReport& report = parameters.report.is_null() ? unasked : *parameters.report;
  const bool done = failingTogether(opening.comm(), [&] { return multiplyHere(call, opening, C, report); });
  if (!done) leaveToTpetra(call, C, parametersForTpetra(params, parameters), report);
  logProduct(call.jacobi.wanted() ? ProductKind::jacobi : ProductKind::multiply, call.label, report);
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
  detail::ProductCall<Types> call{&A, transposeA, &B, transposeB};
  call.fillComplete = call_FillComplete_on_result;
  call.label = label;
  detail::multiplyTpetra(call, C, params);
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void Jacobi(Scalar omega, const Tpetra::Vector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& Dinv,
            const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A,
            const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& B,
            Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& C, bool call_FillComplete_on_result,
            const std::string& label, const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using Types = detail::TpetraTypes<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  detail::ProductCall<Types> call{&A, false, &B, false};
  call.jacobi = {&Dinv, omega};
  call.fillComplete = call_FillComplete_on_result;
  call.label = label;
  detail::multiplyTpetra(call, C, params);
}

}  // namespace MatrixMatrix
}  // namespace Trident

namespace Trident {

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
Product<Scalar, LocalOrdinal, GlobalOrdinal, Node>::Product(
    const crs_matrix_type& A, bool transposeA, const crs_matrix_type& B, bool transposeB,
    const Teuchos::RCP<Teuchos::ParameterList>& params)
    : transposeA_(transposeA),
      transposeB_(transposeB),
      params_(params),
      C_(Teuchos::rcp(new crs_matrix_type(transposeA ? A.getDomainMap() : A.getRowMap(), 0))) {
  detail::ProductCall<Types> call{&A, transposeA, &B, transposeB};
  call.keep = true;
  detail::multiplyTpetra(call, *C_, params_);
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void Product<Scalar, LocalOrdinal, GlobalOrdinal, Node>::execute(const crs_matrix_type& A,
                                                                 const crs_matrix_type& B) {
  detail::ProductCall<Types> call{&A, transposeA_, &B, transposeB_};
  call.keep = true;
  call.valuesOnly = true;
  detail::multiplyTpetra(call, *C_, params_);
}

}  // namespace Trident

/// Instantiates our products for one set of Tpetra template arguments, as Tpetra's own macros ask for it.
#define TRIDENT_MATRIX_MATRIX_INSTANT(SC, LO, GO, NO)                                                 \
  template void Trident::MatrixMatrix::Multiply<SC, LO, GO, NO>(                                      \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, \
      Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const std::string&,                                   \
      const Teuchos::RCP<Teuchos::ParameterList>&);                                                   \
  template void Trident::MatrixMatrix::Jacobi<SC, LO, GO, NO>(                                        \
      SC, const Tpetra::Vector<SC, LO, GO, NO>&, const Tpetra::CrsMatrix<SC, LO, GO, NO>&,            \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool,             \
      const std::string&, const Teuchos::RCP<Teuchos::ParameterList>&);                               \
  template class Trident::Product<SC, LO, GO, NO>;

#endif
