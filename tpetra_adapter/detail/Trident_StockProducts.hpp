#ifndef TRIDENT_STOCK_PRODUCTS_HPP
#define TRIDENT_STOCK_PRODUCTS_HPP

#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>
#include <string>

#include "detail/Trident_Parameters.hpp"

namespace Trident {
namespace detail {

/// Tpetra's own products, for what is handed back to it.
///
/// Pointers, because the preload library takes Tpetra's functions' names: it puts the originals here, which
/// otherwise would call us again.
template <class Types>
struct StockProducts {
  using Scalar = typename Types::scalar_type;
  using matrix_type = typename Types::matrix_type;
  using vector_type = Tpetra::Vector<Scalar, typename Types::local_ordinal_type,
                                     typename Types::global_ordinal_type, typename Types::node_type>;
  using List = Teuchos::RCP<Teuchos::ParameterList>;

  void (*multiply)(const matrix_type&, bool, const matrix_type&, bool, matrix_type&, bool, const std::string&,
                   const List&) = &Tpetra::MatrixMatrix::Multiply;
  void (*jacobi)(Scalar, const vector_type&, const matrix_type&, const matrix_type&, matrix_type&, bool,
                 const std::string&, const List&) = &Tpetra::MatrixMatrix::Jacobi;

  static StockProducts& get() {
    static StockProducts stock;
    return stock;
  }
};

/// The caller's list for Tpetra, as a copy: Tpetra writes into the list that it is given, and reuses an
/// importer that it finds there whatever it is of.
inline Teuchos::RCP<Teuchos::ParameterList> parametersForTpetra(
    const Teuchos::RCP<Teuchos::ParameterList>& params, const Parameters& read) {
  auto list = params.is_null() ? Teuchos::parameterList() : Teuchos::parameterList(*params);
  list->remove("importer", false);
  list->set("compute global constants", read.computeGlobalConstants);
  return list;
}

/// X^T as a matrix of its own. Collective.
template <class Matrix>
Teuchos::RCP<const Matrix> transposed(const Matrix& X) {
  using transposer_type =
      Tpetra::RowMatrixTransposer<typename Matrix::scalar_type, typename Matrix::local_ordinal_type,
                                  typename Matrix::global_ordinal_type, typename Matrix::node_type>;
  return transposer_type(Teuchos::rcpFromRef(X)).createTranspose();
}

}  // namespace detail
}  // namespace Trident

#endif
