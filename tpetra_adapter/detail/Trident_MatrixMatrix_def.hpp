#ifndef TRIDENT_MATRIX_MATRIX_DEF_HPP
#define TRIDENT_MATRIX_MATRIX_DEF_HPP

#include <Tpetra_RowMatrixTransposer.hpp>
#include <string>

#include "Trident_MatrixMatrix.hpp"
#include "Trident_Product.hpp"
#include "detail/Trident_StockProducts.hpp"
#include "detail/Trident_TpetraProduct.hpp"

namespace Trident {
namespace detail {

/// What a product is asked to do.
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
  std::string label = {};   ///< of Tpetra's timers, if it is handed back
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

/// One call of a product, whichever way it is made.
template <class Types>
void multiplyTpetra(const ProductCall<Types>& call, typename Types::matrix_type& C,
                    const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const auto& A = *call.A;
  const auto& B = *call.B;
  const MPI_Comm comm = mpiCommOf(*A.getMap());
  Context& real = Context::of(comm, "");
  Opening<Types> opening(real, params);
  if (call.keep) opening.keep();
  if (call.valuesOnly) opening.requireKept();
  opening.refuse(refusal(A, call.transposeA, B, call.transposeB, C));
  if (call.jacobi.wanted()) opening.refuse(call.jacobi.refusal(A, B));
  opening.expectSame({call.transposeA, call.transposeB, call.fillComplete, call.jacobi.wanted()});

  const Parameters& parameters = opening.parameters();
  ProductReport unasked;
  ProductReport& report = parameters.report.is_null() ? unasked : *parameters.report;
  const auto leaveToTpetra = [&] {
    const auto& stock = StockProducts<typename Types::scalar_type, typename Types::local_ordinal_type,
                                      typename Types::global_ordinal_type, typename Types::node_type>::get();
    const auto list = parametersForTpetra(params, parameters);
    if (call.jacobi.wanted())
      stock.jacobi(call.jacobi.omega, *call.jacobi.Dinv, A, B, C, call.fillComplete, call.label, list);
    else
      stock.multiply(A, call.transposeA, B, call.transposeB, C, call.fillComplete, call.label, list);
  };
  if (parameters.tpetra) {
    opening.agree();
    report = ProductReport();
    report.handedBack = true;
    report.handBackReason = "\"trident: plan\" is \"tpetra\"";
    return leaveToTpetra();
  }

  auto opA = Teuchos::rcpFromRef(A);
  auto opB = Teuchos::rcpFromRef(B);
  if (call.transposeA || call.transposeB) {
    opening.agree();
    if (call.transposeA) opA = transposed(A);
    if (call.transposeB) opB = transposed(B);
  }
  opening.take(*opA, *opB, C);

  const ResultMaps<Types> maps{opB->getDomainMap(), opA->getRangeMap(), parameters.computeGlobalConstants,
                               A.getComm()};
  TpetraProduct<Types> product(Context::of(comm, parameters.ranksPerNode), opening, call.jacobi);
  if (opening.kept()) {
    product.multiplyValues(*opA, *opB, C, report);
  } else if (!product.multiply(*opA, *opB, call.fillComplete, maps, C, report)) {
    leaveToTpetra();
  }
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
