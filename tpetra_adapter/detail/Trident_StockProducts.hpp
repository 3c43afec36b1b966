#ifndef TRIDENT_STOCK_PRODUCTS_HPP
#define TRIDENT_STOCK_PRODUCTS_HPP

#include <TpetraExt_MatrixMatrix.hpp>
#include <string>

namespace Trident {
namespace detail {

/// Tpetra's own products, for what is handed back to it.
///
/// Pointers, because the preload library takes Tpetra's functions' names: it puts the originals here, which
/// otherwise would call us again.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
struct StockProducts {
  using matrix_type = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using vector_type = Tpetra::Vector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
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

}  // namespace detail
}  // namespace Trident

#endif
