#ifndef TRIDENT_JACOBI_STEP_HPP
#define TRIDENT_JACOBI_STEP_HPP

#include <Tpetra_Vector.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "detail/Trident_LocalRows.hpp"
#include "layout/Trident_IndexSpace.hpp"

namespace Trident {
namespace detail {

/// The left factor I - omega D^-1 A of a Jacobi step, as rows of their own: each row of A scaled, behind an
/// entry for the identity. The two are not added up where they meet: a sum that cancels would take entries
/// away from the product's pattern.
template <class Types>
struct JacobiStep {
  using matrix_type = typename Types::matrix_type;
  using vector_type = Tpetra::Vector<typename Types::scalar_type, typename Types::local_ordinal_type,
                                     typename Types::global_ordinal_type, typename Types::node_type>;
  using Tiles = typename Types::tile_types;

  const vector_type* Dinv = nullptr;  ///< null: no Jacobi step but a plain product
  typename Types::scalar_type omega = {};

  bool wanted() const { return Dinv != nullptr; }

  /// What does not fit, if anything. Local.
  std::string refusal(const matrix_type& A, const matrix_type& B) const {
    std::ostringstream text;
    text << "TpetraExt::MatrixMatrix::Jacobi(): ";
    const auto& rows = *A.getRowMap();
    if (!sameOnThisRank(rows, *Dinv->getMap())) {
      text << "Dinv is not distributed as A's rows are: rank " << A.getComm()->getRank() << " has "
           << localSize(*Dinv->getMap()) << " entries of Dinv and " << localSize(rows)
           << " rows of A, or the same number in another order; make Dinv with A's row map";
      return text.str();
    }
    if (!sameOnThisRank(rows, *B.getRowMap())) {
      text << "B's row map is not A's: rank " << A.getComm()->getRank() << " has "
           << localSize(*B.getRowMap()) << " rows of B and " << localSize(rows)
           << " of A, or the same number in another order; B - omega D^-1 A B needs both alike";
      return text.str();
    }
    return {};
  }

  /// Behind the ids of A's local columns those of this rank's own rows, which the identity's entries name.
  static void appendOwnRows(const IndexSpace& inner, int rank, std::vector<std::int64_t>& ids) {
    for (const int p : inner.piecesOf(rank)) {
      const Piece& piece = inner.pieces()[p];
      for (std::int64_t l = 0; l < piece.count; ++l) ids.push_back(piece.start + l);
    }
  }

  /// The rows, with the ids that appendOwnRows() has completed. Stored zeros of A are left out, so that a
  /// product of these rows must not skip any: what D^-1 or omega makes zero counts. A copy; on the host.
  LocalRows<Tiles> rows(const matrix_type& A, const std::vector<std::int64_t>& ids, bool skipZeros) const {
    using Scalar = typename Types::impl_scalar_type;
    using LO = typename Types::local_ordinal_type;
    LocalRows<Tiles> scaled = localRows<Types>(A, ids);
    const auto local = A.getLocalMatrixHost();
    const auto D = Dinv->getLocalViewHost(Tpetra::Access::ReadOnly);
    const auto count = static_cast<std::int64_t>(local.numRows());
    const auto firstOwn = static_cast<std::int64_t>(ids.size()) - count;
    const auto entries = static_cast<std::int64_t>(local.values.extent(0)) + count;
    const auto rowPtr = allocate<typename Tiles::Offsets>("Trident::jacobi::rowPtr", count + 1);
    const auto columns = allocate<typename Tiles::Ordinals>("Trident::jacobi::columns", entries);
    const auto values = allocate<typename Tiles::Values>("Trident::jacobi::values", entries);
    const auto factor = static_cast<Scalar>(-omega);
    std::size_t next = 0;
    rowPtr(0) = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      columns(next) = static_cast<LO>(firstOwn + i);
      values(next++) = Scalar(1);
      const Scalar scale = factor * D(i, 0);
      for (auto e = local.graph.row_map(i); e < local.graph.row_map(i + 1); ++e) {
        if (skipZeros && local.values(e) == Scalar(0)) continue;
        columns(next) = local.graph.entries(e);
        values(next++) = scale * local.values(e);
      }
      rowPtr(i + 1) = next;
    }
    scaled.rowPtr = rowPtr;
    scaled.columns = Kokkos::subview(columns, std::make_pair(std::size_t{0}, next));
    scaled.values = Kokkos::subview(values, std::make_pair(std::size_t{0}, next));
    return scaled;
  }
};

}  // namespace detail
}  // namespace Trident

#endif
