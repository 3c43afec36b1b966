#ifndef TRIDENT_PATTERN_PRINT_HPP
#define TRIDENT_PATTERN_PRINT_HPP

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "detail/Trident_IdMap.hpp"

namespace Trident {
namespace detail {

// Fingerprints of what a product's pattern depends on, on this rank. Graphs are told apart by content, not by
// address: a graph can be changed in place, and a transpose is a new matrix each time.

template <class T>
std::uint64_t printOf(const T* data, std::size_t count, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, count * sizeof(T), seed);
}

template <class Map>
std::uint64_t printOfMap(const Map& map, std::uint64_t seed) {
  const MapPart part = partOf(map);
  seed = printOf(&part, 1, seed);
  if (part.consecutive == 1) return seed;
  const auto indices = map.getMyGlobalIndices();
  for (std::size_t l = 0; l < indices.extent(0); ++l) {
    const auto index = indices(l);
    seed = printOf(&index, 1, seed);
  }
  return seed;
}

/// Of a fill-complete matrix: maps, row pointers and columns. Local; reads the pattern once.
template <class Matrix>
std::uint64_t printOfPattern(const Matrix& X) {
  std::uint64_t print = printOfMap(*X.getRowMap(), 1);
  print = printOfMap(*X.getDomainMap(), print);
  print = printOfMap(*X.getRangeMap(), print);
  print = printOfMap(*X.getColMap(), print);
  const auto local = X.getLocalMatrixHost();
  print = printOf(local.graph.row_map.data(), local.graph.row_map.extent(0), print);
  return printOf(local.graph.entries.data(), local.graph.entries.extent(0), print);
}

/// Of the places of stored zeros, which add nothing to a product's pattern when they are A's. Local; reads
/// the values once.
template <class Matrix>
std::uint64_t printOfZeros(const Matrix& X, std::uint64_t seed) {
  using value_type = typename Matrix::impl_scalar_type;
  constexpr std::size_t atOnce = 64;  // looked at without a branch
  const auto values = X.getLocalMatrixHost().values;
  const value_type* const first = values.data();
  std::uint64_t print = seed;
  for (std::size_t begin = 0; begin < values.extent(0); begin += atOnce) {
    const std::size_t end = std::min(begin + atOnce, static_cast<std::size_t>(values.extent(0)));
    int zeros = 0;
    for (std::size_t e = begin; e < end; ++e) zeros += first[e] == value_type(0) ? 1 : 0;
    if (zeros == 0) continue;
    for (std::size_t e = begin; e < end; ++e)
      if (first[e] == value_type(0)) print = printOf(&e, 1, print + 1);
  }
  return print;
}

}  // namespace detail
}  // namespace Trident

#endif
