#ifndef TRIDENT_TPETRA_TYPES_HPP
#define TRIDENT_TPETRA_TYPES_HPP

#include <Trilinos_version.h>

#include <Teuchos_Comm.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Details_extractMpiCommFromTeuchos.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Map.hpp>

#include "layout/Trident_Tile.hpp"

namespace Trident {
namespace detail {

/// How errors begin that Tpetra has too: users and tests match its text.
inline const char* errorPrefix() { return "TpetraExt::MatrixMatrix::Multiply(): "; }

/// The Tpetra types that go with one CrsMatrix type, and ours on the same device.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
struct TpetraTypes {
  using scalar_type = Scalar;
  using local_ordinal_type = LocalOrdinal;
  using global_ordinal_type = GlobalOrdinal;
  using node_type = Node;
  using map_type = Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;
  using import_type = Tpetra::Import<LocalOrdinal, GlobalOrdinal, Node>;
  using matrix_type = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using impl_scalar_type = typename matrix_type::impl_scalar_type;
  using device_type = typename Node::device_type;
  using tile_types = TileTypes<impl_scalar_type, LocalOrdinal, device_type>;
};

/// Number of indices this rank owns, under the name the installed Trilinos has for it.
template <class Map>
std::int64_t localSize(const Map& map) {
#if TRILINOS_MAJOR_MINOR_VERSION < 130400
  return static_cast<std::int64_t>(map.getNodeNumElements());
#else
  return static_cast<std::int64_t>(map.getLocalNumElements());
#endif
}

/// Whether two maps give this rank the same indices in the same order. Local.
template <class Map>
bool sameOnThisRank(const Map& a, const Map& b) {
  if (&a == &b) return true;
  const std::int64_t n = localSize(a);
  if (n != localSize(b)) return false;
  for (std::int64_t l = 0; l < n; ++l) {
    const auto local = static_cast<typename Map::local_ordinal_type>(l);
    if (a.getGlobalElement(local) != b.getGlobalElement(local)) return false;
    if (l == 0 && a.isContiguous() && b.isContiguous()) return true;
  }
  return true;
}

/// Whether this rank's indices are consecutive and ascend. Local.
template <class Map>
bool consecutiveOnThisRank(const Map& map) {
  if (map.isContiguous()) return true;
  const std::int64_t n = localSize(map);
  using local_ordinal_type = typename Map::local_ordinal_type;
  for (std::int64_t l = 1; l < n; ++l)
    if (map.getGlobalElement(static_cast<local_ordinal_type>(l)) !=
        map.getGlobalElement(static_cast<local_ordinal_type>(l - 1)) + 1)
      return false;
  return true;
}

template <class Map>
MPI_Comm mpiCommOf(const Map& map) {
  return Tpetra::Details::extractMpiCommFromTeuchos(*map.getComm());
}

}  // namespace detail
}  // namespace Trident

#endif
