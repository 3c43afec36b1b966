#ifndef TRIDENT_SPGEMM_TYPES_HPP
#define TRIDENT_SPGEMM_TYPES_HPP

#include <Trilinos_version.h>

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Map.hpp>

/// The program multiplies matrices of doubles over the index types that the installed Tpetra was built for.
namespace Spgemm {

using Matrix = Tpetra::CrsMatrix<double>;
using Map = Tpetra::Map<>;
using LocalOrdinal = Map::local_ordinal_type;
using GlobalOrdinal = Map::global_ordinal_type;

/// The indices that this rank owns; Trilinos 13.4 renamed the function.
inline std::size_t localCount(const Map& map) {
#if TRILINOS_MAJOR_MINOR_VERSION < 130400
  return map.getNodeNumElements();
#else
  return map.getLocalNumElements();
#endif
}

}  // namespace Spgemm

#endif
