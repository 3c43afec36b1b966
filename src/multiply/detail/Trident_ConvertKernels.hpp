#ifndef TRIDENT_CONVERT_KERNELS_HPP
#define TRIDENT_CONVERT_KERNELS_HPP

#include <cstdint>
#include <vector>

#include "layout/Trident_IndexSpace.hpp"
#include "layout/Trident_Tile.hpp"

namespace Trident {
namespace detail {

// The device loops of the conversion. They are free functions because nvcc takes no device lambda in a
// private member function.

/// Where each local column of an operand goes.
template <class Types>
struct ColumnPlaces {
  typename Types::Ordinals segment;
  typename Types::Ordinals columnInSegment;
  bool stay = false;  ///< every column keeps its number
};

/// Arrays of one block of rows, in a tile or in a send buffer.
template <class Types>
struct BlockArrays {
  typename Types::ordinal_type* columns;
  typename Types::scalar_type* values;
};

template <class Types>
using LengthsBySegment =
    Kokkos::View<typename Types::ordinal_type**, Kokkos::LayoutRight, typename Types::device_type>;
template <class Types>
using OffsetsBySegment = Kokkos::View<std::size_t**, Kokkos::LayoutRight, typename Types::device_type>;
template <class Types>
using ArraysBySegment = Kokkos::View<BlockArrays<Types>**, Kokkos::LayoutRight, typename Types::device_type>;

/// `segmentStart` holds the first id of each segment and the end.
template <class Types>
ColumnPlaces<Types> placeColumns(const typename Types::Ids& ids,
                                 const std::vector<std::int64_t>& segmentStart) {
  using Ordinal = typename Types::ordinal_type;
  const auto columns = static_cast<std::int64_t>(ids.extent(0));
  ColumnPlaces<Types> places;
  places.segment = allocate<typename Types::Ordinals>("Trident::convert::segment", columns);
  places.columnInSegment = allocate<typename Types::Ordinals>("Trident::convert::columnInSegment", columns);
  const auto start = allocate<typename Types::Ids>("Trident::convert::start",
                                                   static_cast<std::int64_t>(segmentStart.size()));
  Kokkos::deep_copy(start, Kokkos::View<const std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                               segmentStart.data(), segmentStart.size()));
  const auto segment = places.segment;
  const auto columnInSegment = places.columnInSegment;
  const int segments = static_cast<int>(segmentStart.size()) - 1;
  std::int64_t moved = 0;
  Kokkos::parallel_reduce(
      "Trident::convert::placeColumns", typename Types::Range(0, columns),
      KOKKOS_LAMBDA(const std::int64_t c, std::int64_t& sum) {
        int low = 0;
        int high = segments;
        while (high - low > 1) {
          const int middle = (low + high) / 2;
          if (start(middle) <= ids(c))
            low = middle;
          else
            high = middle;
        }
        segment(c) = static_cast<Ordinal>(low);
        columnInSegment(c) = static_cast<Ordinal>(ids(c) - start(low));
        if (columnInSegment(c) != c) ++sum;
      },
      moved);
  places.stay = moved == 0;
  return places;
}

/// The ids, of those of all local columns, that a matrix has entries of.
template <class Types>
std::vector<std::int64_t> usedIds(const LocalRows<Types>& local, const std::vector<std::int64_t>& ids) {
  const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), local.columns);
  std::vector<char> used(ids.size(), 0);
  for (std::size_t e = 0; e < columns.extent(0); ++e) used[columns(e)] = 1;
  std::vector<std::int64_t> found;
  for (std::size_t c = 0; c < ids.size(); ++c)
    if (used[c] != 0) found.push_back(ids[c]);
  return found;
}

/// Entries of each row by segment.
template <class Types>
LengthsBySegment<Types> lengthsBySegment(const LocalRows<Types>& local, const ColumnPlaces<Types>& places,
                                         int segments) {
  const LengthsBySegment<Types> lengths("Trident::convert::lengths", static_cast<std::size_t>(segments),
                                        static_cast<std::size_t>(local.rows()));
  const auto segment = places.segment;
  const bool oneSegment = segments == 1;
  Kokkos::parallel_for(
      "Trident::convert::lengthsBySegment", typename Types::Range(0, local.rows()),
      KOKKOS_LAMBDA(const std::int64_t i) {
        if (oneSegment) {
          lengths(0, i) = static_cast<typename Types::ordinal_type>(local.rowPtr(i + 1) - local.rowPtr(i));
          return;
        }
        for (std::size_t e = local.rowPtr(i); e < local.rowPtr(i + 1); ++e)
          ++lengths(segment(local.columns(e)), i);
      });
  return lengths;
}

/// Entries of a piece's rows in one segment.
template <class Types>
std::int64_t entriesOf(const LengthsBySegment<Types>& lengths, int segment, const Piece& piece) {
  std::int64_t entries = 0;
  Kokkos::parallel_reduce(
      "Trident::convert::entriesOf", typename Types::Range(piece.firstLocal, piece.firstLocal + piece.count),
      KOKKOS_LAMBDA(const std::int64_t i, std::int64_t& sum) { sum += lengths(segment, i); }, entries);
  return entries;
}

/// First entry of each of a piece's rows, within the piece and segment.
template <class Types>
void offsetsOf(const LengthsBySegment<Types>& lengths, int segment, const Piece& piece,
               const OffsetsBySegment<Types>& offsets) {
  Kokkos::parallel_scan(
      "Trident::convert::offsetsOf", typename Types::Range(piece.firstLocal, piece.firstLocal + piece.count),
      KOKKOS_LAMBDA(const std::int64_t i, std::size_t& sum, const bool last) {
        if (last) offsets(segment, i) = sum;
        sum += static_cast<std::size_t>(lengths(segment, i));
      });
}

/// The entries of one piece's rows into the arrays of their segments, `to(segment, pieceNumber)`; `next`
/// holds the offsets and is used up.
template <class Types>
void packPiece(const LocalRows<Types>& local, const ColumnPlaces<Types>& places, const Piece& piece,
               int pieceNumber, const OffsetsBySegment<Types>& next, const ArraysBySegment<Types>& to) {
  const auto segment = places.segment;
  const auto columnInSegment = places.columnInSegment;
  Kokkos::parallel_for(
      "Trident::convert::packPiece", typename Types::Range(piece.firstLocal, piece.firstLocal + piece.count),
      KOKKOS_LAMBDA(const std::int64_t i) {
        for (std::size_t e = local.rowPtr(i); e < local.rowPtr(i + 1); ++e) {
          const auto c = local.columns(e);
          const auto s = segment(c);
          const std::size_t at = next(s, i)++;
          to(s, pieceNumber).columns[at] = columnInSegment(c);
          to(s, pieceNumber).values[at] = local.values(e);
        }
      });
}

/// All columns under their numbers in the segment, entries in place.
template <class Types>
typename Types::Ordinals renumbered(const typename Types::ConstOrdinals& columns,
                                    const ColumnPlaces<Types>& places, std::int64_t entries) {
  const auto numbers = allocate<typename Types::Ordinals>("Trident::convert::tile::columns", entries);
  const auto columnInSegment = places.columnInSegment;
  Kokkos::parallel_for(
      "Trident::convert::renumber", typename Types::Range(0, entries),
      KOKKOS_LAMBDA(const std::int64_t e) { numbers(e) = columnInSegment(columns(e)); });
  return numbers;
}

}  // namespace detail
}  // namespace Trident

#endif
