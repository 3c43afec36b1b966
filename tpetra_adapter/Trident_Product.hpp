#ifndef TRIDENT_PRODUCT_HPP
#define TRIDENT_PRODUCT_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>

namespace Trident {

namespace detail {
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
struct TpetraTypes;
}

/// C = op(A) * op(B), planned once and executed with new values as often as is wanted: values only travel, at
/// most 8 bytes an entry for doubles, and C keeps its pattern, maps and importer.
///
/// MatrixMatrix::Multiply on a C that has the product's graph already does the same by itself; here it is an
/// error if the patterns have changed, instead of a slower product.
template <class Scalar = Tpetra::CrsMatrix<>::scalar_type,
          class LocalOrdinal = typename Tpetra::CrsMatrix<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::CrsMatrix<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node = typename Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class Product {
 public:
  using crs_matrix_type = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

  /// Computes the product of the matrices' present values. A and B are read, not kept; `params` as for
  /// MatrixMatrix::Multiply, kept. Collective over A's communicator. Throws what Multiply throws.
  Product(const crs_matrix_type& A, bool transposeA, const crs_matrix_type& B, bool transposeB,
          const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

  /// Computes it of other matrices of the same maps and patterns into the same C. Collective. Throws
  /// std::invalid_argument on every rank, with C unchanged, if a pattern differs on any rank (stored zeros of
  /// A must stay zeros, and others must not become zero); std::runtime_error, as Multiply does, if the sizes
  /// do not match or a matrix is not fill complete.
  void execute(const crs_matrix_type& A, const crs_matrix_type& B);

  /// C; the same matrix after every execute().
  const Teuchos::RCP<crs_matrix_type>& result() const { return C_; }

 private:
  using Types = detail::TpetraTypes<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

  bool transposeA_;
  bool transposeB_;
  Teuchos::RCP<Teuchos::ParameterList> params_;
  Teuchos::RCP<crs_matrix_type> C_;
};

}  // namespace Trident

#endif
