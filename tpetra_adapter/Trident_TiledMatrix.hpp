#ifndef TRIDENT_TILED_MATRIX_HPP
#define TRIDENT_TILED_MATRIX_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>
#include <memory>

#include "multiply/Trident_ProductReport.hpp"

namespace Trident {

namespace detail {
template <class Types>
struct TiledState;
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
struct TpetraTypes;
}  // namespace detail

/// A product that stays in the tiles in which it was computed: rank k of node (i,j) holds the slice X(i,j,k).
/// For chains of products, A^k or R*(A*P), whose intermediates never go back to 1D rows (DESIGN, section 2).
///
/// Made by multiplyTiled(); cheap to copy, the tiles are shared and never change.
template <class Scalar = Tpetra::CrsMatrix<>::scalar_type,
          class LocalOrdinal = typename Tpetra::CrsMatrix<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::CrsMatrix<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node = typename Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class TiledMatrix {
 public:
  using crs_matrix_type = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using map_type = Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;
  using state_type = detail::TiledState<detail::TpetraTypes<Scalar, LocalOrdinal, GlobalOrdinal, Node>>;

  explicit TiledMatrix(std::shared_ptr<state_type> state) : state_(std::move(state)) {}

  /// The maps that the matrix has as a CrsMatrix.
  Teuchos::RCP<const map_type> getRowMap() const;
  Teuchos::RCP<const map_type> getDomainMap() const;
  Teuchos::RCP<const map_type> getRangeMap() const;

  /// Plan, ledger and times of the product that made it, map-back left out; after toCrsMatrix() with it.
  const ProductReport& report() const;

  /// The matrix in 1D rows, fill complete; the tiles stay. Collective over the matrices' communicator. Throws
  /// std::runtime_error on every rank if one rank's local work fails.
  Teuchos::RCP<crs_matrix_type> toCrsMatrix() const;

  const std::shared_ptr<state_type>& state() const { return state_; }

 private:
  std::shared_ptr<state_type> state_;
};

/// A * B, left in tiles. Operands are Tpetra matrices, fetched from their 1D owners, or tiled ones, used
/// where they lie: then the grid is theirs, and two of them must have the same. `params` as for
/// MatrixMatrix::Multiply
/// ("trident: reuse" has no effect); without grid and filter, node-aware 1D or a squarer grid is chosen by
/// the bytes of A and B, and tiled operands' filter is "needed". A tiled left operand's domain map must be
/// distributed as B's row map is.
///
/// Collective over the communicator of the maps. Throws on every rank: std::runtime_error for dimensions or
/// distributions that do not fit and for a failure of one rank's local work, std::invalid_argument for
/// parameters.
template <class SC, class LO, class GO, class NO>
TiledMatrix<SC, LO, GO, NO> multiplyTiled(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                                          const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                                          const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);
template <class SC, class LO, class GO, class NO>
TiledMatrix<SC, LO, GO, NO> multiplyTiled(const TiledMatrix<SC, LO, GO, NO>& A,
                                          const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                                          const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);
template <class SC, class LO, class GO, class NO>
TiledMatrix<SC, LO, GO, NO> multiplyTiled(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                                          const TiledMatrix<SC, LO, GO, NO>& B,
                                          const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);
template <class SC, class LO, class GO, class NO>
TiledMatrix<SC, LO, GO, NO> multiplyTiled(const TiledMatrix<SC, LO, GO, NO>& A,
                                          const TiledMatrix<SC, LO, GO, NO>& B,
                                          const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

}  // namespace Trident

#endif
