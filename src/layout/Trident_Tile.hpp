#ifndef TRIDENT_TILE_HPP
#define TRIDENT_TILE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "topology/Trident_Pages.hpp"

namespace Trident {

/// The array types of tiles on one Kokkos device. Row lengths and columns are local ordinals: 4 bytes each on
/// the wire for LocalOrdinal = int.
template <class Scalar, class LocalOrdinal, class Device>
struct TileTypes {
  using scalar_type = Scalar;
  using ordinal_type = LocalOrdinal;
  using device_type = Device;
  using execution_space = typename Device::execution_space;
  using Range = Kokkos::RangePolicy<execution_space, Kokkos::IndexType<std::int64_t>>;
  using Ordinals = Kokkos::View<LocalOrdinal*, Device>;
  using Values = Kokkos::View<Scalar*, Device>;
  using Offsets = Kokkos::View<std::size_t*, Device>;
  using Ids = Kokkos::View<std::int64_t*, Device>;
  using ConstOrdinals = Kokkos::View<const LocalOrdinal*, Device>;
  using ConstValues = Kokkos::View<const Scalar*, Device>;
  using ConstOffsets = Kokkos::View<const std::size_t*, Device>;
};

/// This rank's rows of a matrix, as a view: rowPtr.extent(0) is rows + 1; columns are local columns.
template <class Types>
struct LocalRows {
  typename Types::ConstOffsets rowPtr;
  typename Types::ConstOrdinals columns;
  typename Types::ConstValues values;

  /// Id of each local column in the product's index space.
  typename Types::Ids columnIds;

  /// The rows are those of this rank's slice of its node's tile, by piece, not those it owns in 1D.
  bool ofTile = false;

  std::int64_t rows() const {
    return rowPtr.extent(0) == 0 ? 0 : static_cast<std::int64_t>(rowPtr.extent(0)) - 1;
  }
};

/// One slice of a tile in the form in which it is sent: a length for each row, columns counted from the
/// tile's first column, values. Rows are those of `pieces`, in order.
template <class Types>
struct TileSlice {
  typename Types::Ordinals rowLengths;
  typename Types::ConstOrdinals columns;
  typename Types::ConstValues values;

  /// First row and first entry of each piece of the slice, and the totals at the end. On the host.
  std::vector<std::int64_t> firstRow{0};
  std::vector<std::int64_t> firstEntry{0};

  /// Of A on a grid of one column: columns are rows of the whole batch of B, not of one base block.
  bool spansBatch = false;

  std::int64_t rows() const { return firstRow.back(); }
  std::int64_t entries() const { return firstEntry.back(); }
};

/// A run of rows with row pointers, as local products take and give them. rowPtr has rows + 1 elements.
template <class Types>
struct CsrRows {
  typename Types::Offsets rowPtr;
  typename Types::Ordinals columns;
  typename Types::Values values;

  /// Where rows lie apart, one past the last entry of each; empty if each ends where the next begins.
  typename Types::Offsets rowEnd = {};

  std::int64_t rows() const {
    return rowPtr.extent(0) == 0 ? 0 : static_cast<std::int64_t>(rowPtr.extent(0)) - 1;
  }
};

/// The first entries of an array of host memory. The memory behind them is given back: slots had room to
/// spare, which C would hold as long as it lives.
template <class View>
View firstEntries(const View& array, std::size_t entries) {
  const auto behind = static_cast<std::int64_t>((array.extent(0) - entries) * sizeof(*array.data()));
  releasePages(array.data() + entries, behind);
  return Kokkos::subview(array, std::make_pair(std::size_t{0}, entries));
}

/// Pushes rows that lie apart together, in place, and gives the pages behind them back; `Rows` is CsrRows or
/// the like. Host memory only.
template <class Rows>
void pushTogether(Rows& rows) {
  if (rows.rowEnd.extent(0) == 0) return;
  using Offsets = decltype(rows.rowPtr);
  const Offsets rowPtr("Trident::layout::rowPtr", rows.rowPtr.extent(0));
  std::size_t end = 0;
  for (std::size_t i = 0; i + 1 < rowPtr.extent(0); ++i) {
    const std::size_t first = rows.rowPtr(i);
    const std::size_t count = rows.rowEnd(i) - first;
    std::copy_n(rows.columns.data() + first, count, rows.columns.data() + end);
    std::copy_n(rows.values.data() + first, count, rows.values.data() + end);
    end += count;
    rowPtr(i + 1) = end;
  }
  rows.rowPtr = rowPtr;
  rows.rowEnd = {};
  rows.columns = firstEntries(rows.columns, end);
  rows.values = firstEntries(rows.values, end);
}

/// A view that is allocated but not initialised.
template <class View>
View allocate(const char* label, std::int64_t count) {
  return View(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing),
              static_cast<std::size_t>(count));
}

/// Copies `count` elements of one view to another.
template <class From, class To>
void copyRun(const From& from, std::int64_t firstFrom, const To& to, std::int64_t firstTo,
             std::int64_t count) {
  Kokkos::deep_copy(Kokkos::subview(to, std::make_pair(firstTo, firstTo + count)),
                    Kokkos::subview(from, std::make_pair(firstFrom, firstFrom + count)));
}

/// Row pointers from row lengths.
template <class Types>
typename Types::Offsets rowPointers(const typename Types::ConstOrdinals& lengths) {
  const auto rows = static_cast<std::int64_t>(lengths.extent(0));
  auto rowPtr = allocate<typename Types::Offsets>("Trident::layout::rowPtr", rows + 1);
  Kokkos::parallel_scan(
      "Trident::layout::rowPointers", typename Types::Range(0, rows + 1),
      KOKKOS_LAMBDA(const std::int64_t row, std::size_t& sum, const bool last) {
        if (last) rowPtr(row) = sum;
        if (row < rows) sum += static_cast<std::size_t>(lengths(row));
      });
  return rowPtr;
}

/// Row lengths from row pointers.
template <class Types>
typename Types::Ordinals rowLengths(const typename Types::Offsets& rowPtr) {
  using Ordinal = typename Types::ordinal_type;
  const std::int64_t rows = rowPtr.extent(0) == 0 ? 0 : static_cast<std::int64_t>(rowPtr.extent(0)) - 1;
  auto lengths = allocate<typename Types::Ordinals>("Trident::layout::lengths", rows);
  Kokkos::parallel_for(
      "Trident::layout::rowLengths", typename Types::Range(0, rows), KOKKOS_LAMBDA(const std::int64_t row) {
        lengths(row) = static_cast<Ordinal>(rowPtr(row + 1) - rowPtr(row));
      });
  return lengths;
}

}  // namespace Trident

#endif
