#ifndef TRIDENT_STRIPS_HPP
#define TRIDENT_STRIPS_HPP

#include <cstdint>
#include <vector>

#include "topology/Trident_Topology.hpp"

namespace Trident {

/// The finest common cut of nodes into slices.
///
/// A node with lambda ranks cuts what it owns at the fractions k / lambda. Nodes of different size cut
/// differently; a strip is the part of a node between two neighbouring fractions of all cuts in use, so every
/// node's slices are runs of whole strips. With the same lambda everywhere, strip k is slice k.
class Strips {
 public:
  explicit Strips(const Topology& topology);

  int count() const { return static_cast<int>(begin_.size()); }

  /// The slice, of a node cut in `ranks`, that holds a strip.
  int sliceOf(int strip, int ranks) const {
    return static_cast<int>(begin_[strip].numerator * ranks / begin_[strip].denominator);
  }

  /// First local row of a strip on the rank that is slice `slice` of `ranks` and owns `rows` rows. The strip
  /// must begin in that slice.
  std::int64_t firstRow(int strip, int slice, int ranks, std::int64_t rows) const;

 private:
  struct Fraction {
    std::int64_t numerator;
    std::int64_t denominator;
  };
  std::vector<Fraction> begin_;
};

}  // namespace Trident

#endif
