#ifndef TRIDENT_LOCAL_ROWS_HPP
#define TRIDENT_LOCAL_ROWS_HPP

#include <cstdint>
#include <vector>

#include "detail/Trident_TpetraTypes.hpp"
#include "layout/Trident_Tile.hpp"

namespace Trident {
namespace detail {

/// This rank's rows of a Tpetra matrix, as a view, with the ids of its local columns.
template <class Types>
LocalRows<typename Types::tile_types> localRows(const typename Types::matrix_type& X,
                                                const std::vector<std::int64_t>& ids) {
  using Tiles = typename Types::tile_types;
  const auto local = X.getLocalMatrixDevice();
  LocalRows<Tiles> rows;
  rows.rowPtr = local.graph.row_map;
  rows.columns = local.graph.entries;
  rows.values = local.values;
  const Kokkos::View<const std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> hostIds(ids.data(),
                                                                                              ids.size());
  rows.columnIds = allocate<typename Tiles::Ids>("Trident::columnIds", static_cast<std::int64_t>(ids.size()));
  Kokkos::deep_copy(rows.columnIds, hostIds);
  return rows;
}

}  // namespace detail
}  // namespace Trident

#endif
