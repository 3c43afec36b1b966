#ifndef TRIDENT_PACK_ROWS_HPP
#define TRIDENT_PACK_ROWS_HPP

#include <cstdint>
#include <vector>

#include "layout/Trident_Tile.hpp"

namespace Trident {
namespace detail {

/// Some rows of a slice, one after the other.
template <class Types>
struct PackedRows {
  typename Types::Ordinals rowLengths;
  typename Types::Ordinals columns;
  typename Types::Values values;
};

/// Rows `firstRow` + rows[.] of a slice, `entries` entries in all; `rowPtr` are the slice's row pointers.
template <class Types>
PackedRows<Types> packRows(const std::vector<typename Types::ordinal_type>& rows, std::int64_t firstRow,
                           std::int64_t entries, const typename Types::Offsets& rowPtr,
                           const TileSlice<Types>& slice) {
  using Ordinal = typename Types::ordinal_type;
  const auto count = static_cast<std::int64_t>(rows.size());
  const auto chosen = allocate<typename Types::Ordinals>("Trident::exchange::rows", count);
  Kokkos::deep_copy(chosen, Kokkos::View<const Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                rows.data(), rows.size()));
  PackedRows<Types> packed;
  packed.rowLengths = allocate<typename Types::Ordinals>("Trident::exchange::rowLengths", count);
  packed.columns = allocate<typename Types::Ordinals>("Trident::exchange::columns", entries);
  packed.values = allocate<typename Types::Values>("Trident::exchange::values", entries);
  const auto lengths = packed.rowLengths;
  const auto sliceLengths = slice.rowLengths;
  Kokkos::parallel_for(
      "Trident::exchange::packLengths", typename Types::Range(0, count),
      KOKKOS_LAMBDA(const std::int64_t r) { lengths(r) = sliceLengths(firstRow + chosen(r)); });

  const auto to = rowPointers<Types>(lengths);
  const auto columns = packed.columns;
  const auto values = packed.values;
  const auto sliceColumns = slice.columns;
  const auto sliceValues = slice.values;
  Kokkos::parallel_for(
      "Trident::exchange::packRows", typename Types::Range(0, count), KOKKOS_LAMBDA(const std::int64_t r) {
        const std::size_t from = rowPtr(firstRow + chosen(r));
        for (std::size_t e = 0; e < to(r + 1) - to(r); ++e) {
          columns(to(r) + e) = sliceColumns(from + e);
          values(to(r) + e) = sliceValues(from + e);
        }
      });
  return packed;
}

}  // namespace detail
}  // namespace Trident

#endif
