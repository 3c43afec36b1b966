#ifndef TRIDENT_PACK_ROWS_HPP
#define TRIDENT_PACK_ROWS_HPP

#include <cstdint>
#include <vector>

#include "exchange/Trident_RowMessages.hpp"
#include "layout/Trident_Tile.hpp"

namespace Trident {

/// Some rows of a slice, one after the other: arrays of their own, or a view of the slice's.
template <class Types>
struct PackedRows {
  typename Types::ConstOrdinals rowLengths;
  typename Types::ConstOrdinals columns;
  typename Types::ConstValues values;

  std::int64_t rows() const { return static_cast<std::int64_t>(rowLengths.extent(0)); }
  std::int64_t entries() const { return static_cast<std::int64_t>(columns.extent(0)); }
};

namespace detail {

/// A list of rows of a slice, on the device.
template <class Types>
typename Types::Ordinals onDevice(const std::vector<typename Types::ordinal_type>& rows) {
  using Ordinal = typename Types::ordinal_type;
  const auto chosen =
      allocate<typename Types::Ordinals>("Trident::exchange::rows", static_cast<std::int64_t>(rows.size()));
  Kokkos::deep_copy(chosen, Kokkos::View<const Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                rows.data(), rows.size()));
  return chosen;
}

/// The lengths of rows `firstRow` + rows[.] of a slice.
template <class Types>
typename Types::Ordinals packLengths(const std::vector<typename Types::ordinal_type>& rows,
                                     std::int64_t firstRow, const TileSlice<Types>& slice) {
  const auto chosen = onDevice<Types>(rows);
  const auto lengths = allocate<typename Types::Ordinals>("Trident::exchange::rowLengths",
                                                          static_cast<std::int64_t>(rows.size()));
  const auto sliceLengths = slice.rowLengths;
  Kokkos::parallel_for(
      "Trident::exchange::packLengths", typename Types::Range(0, static_cast<std::int64_t>(rows.size())),
      KOKKOS_LAMBDA(const std::int64_t r) { lengths(r) = sliceLengths(firstRow + chosen(r)); });
  return lengths;
}

/// The sum of row lengths.
template <class Types>
std::int64_t sumOf(const typename Types::ConstOrdinals& lengths) {
  std::int64_t sum = 0;
  Kokkos::parallel_reduce(
      "Trident::exchange::sumOf", typename Types::Range(0, static_cast<std::int64_t>(lengths.extent(0))),
      KOKKOS_LAMBDA(const std::int64_t r, std::int64_t& partial) {
        partial += static_cast<std::int64_t>(lengths(r));
      },
      sum);
  return sum;
}

/// Rows that are not empty.
template <class Types>
std::int64_t filledOf(const typename Types::ConstOrdinals& lengths) {
  std::int64_t filled = 0;
  Kokkos::parallel_reduce(
      "Trident::exchange::filledOf", typename Types::Range(0, static_cast<std::int64_t>(lengths.extent(0))),
      KOKKOS_LAMBDA(const std::int64_t r, std::int64_t& partial) { partial += lengths(r) > 0 ? 1 : 0; },
      filled);
  return filled;
}

/// Rows `firstRow` + rows[.] of a slice, whose `lengths` are known; `rowPtr` are the slice's row pointers.
template <class Types>
PackedRows<Types> packRows(const std::vector<typename Types::ordinal_type>& rows, std::int64_t firstRow,
                           const typename Types::ConstOrdinals& lengths,
                           const typename Types::Offsets& rowPtr, const TileSlice<Types>& slice) {
  const auto count = static_cast<std::int64_t>(rows.size());
  const auto chosen = onDevice<Types>(rows);
  const auto to = rowPointers<Types>(lengths);
  const std::int64_t entries = sumOf<Types>(lengths);
  const auto columns = allocate<typename Types::Ordinals>("Trident::exchange::columns", entries);
  const auto values = allocate<typename Types::Values>("Trident::exchange::values", entries);
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
  return {lengths, columns, values};
}

/// Rows chosen from arrays, on their way into others.
template <class Types>
struct ChosenRows {
  Departure<Types> from;
  const typename Types::ordinal_type* rows;  ///< counted from rowPtr[0]'s
  const std::size_t* rowPtr;
  typename Types::ordinal_type* columns;
  typename Types::scalar_type* values;

  /// With Kokkos, on the device.
  void copy(const typename Types::ordinal_type* lengths, std::int64_t count) const {
    const typename Types::ConstOrdinals view(lengths, static_cast<std::size_t>(count));
    const auto to = rowPointers<Types>(view);
    const auto chosen = *this;
    Kokkos::parallel_for(
        "Trident::exchange::packRows", typename Types::Range(0, count),
        KOKKOS_LAMBDA(const std::int64_t r) { chosen.copyRow(r, to(r), to(r + 1) - to(r)); });
  }

  /// Without Kokkos, on the host, on the thread that calls.
  void copyOneByOne(const typename Types::ordinal_type* lengths, std::int64_t count) const {
    std::size_t to = 0;
    for (std::int64_t r = 0; r < count; ++r) {
      copyRow(r, to, static_cast<std::size_t>(lengths[r]));
      to += static_cast<std::size_t>(lengths[r]);
    }
  }

  KOKKOS_INLINE_FUNCTION void copyRow(std::int64_t r, std::size_t to, std::size_t length) const {
    const std::size_t first = rowPtr[rows[r]];
    for (std::size_t e = 0; e < length; ++e) {
      columns[to + e] = from.columns[first + e];
      values[to + e] = from.values[first + e];
    }
  }
};

/// The rows of pieces [firstPiece, lastPiece) of a slice, in place.
template <class Types>
PackedRows<Types> viewOfPieces(const TileSlice<Types>& slice, int firstPiece, int lastPiece) {
  const auto rows = std::make_pair(slice.firstRow[firstPiece], slice.firstRow[lastPiece]);
  const auto entries = std::make_pair(slice.firstEntry[firstPiece], slice.firstEntry[lastPiece]);
  return {Kokkos::subview(slice.rowLengths, rows), Kokkos::subview(slice.columns, entries),
          Kokkos::subview(slice.values, entries)};
}

}  // namespace detail
}  // namespace Trident

#endif
