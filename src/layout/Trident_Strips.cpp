#include "layout/Trident_Strips.hpp"

#include <algorithm>
#include <set>

namespace Trident {

Strips::Strips(const Topology& topology) {
  std::set<int> sizes;
  for (int node = 0; node < topology.nodes(); ++node) sizes.insert(topology.ranksOn(node));
  for (const int size : sizes)
    for (int k = 0; k < size; ++k) begin_.push_back(Fraction{k, size});

  const auto less = [](const Fraction& a, const Fraction& b) {
    return a.numerator * b.denominator < b.numerator * a.denominator;
  };
  const auto same = [](const Fraction& a, const Fraction& b) {
    return a.numerator * b.denominator == b.numerator * a.denominator;
  };
  std::sort(begin_.begin(), begin_.end(), less);
  begin_.erase(std::unique(begin_.begin(), begin_.end(), same), begin_.end());
}

std::int64_t Strips::firstRow(int strip, int slice, int ranks, std::int64_t rows) const {
  const Fraction& f = begin_[strip];
  return (f.numerator * ranks - slice * f.denominator) * rows / f.denominator;
}

}  // namespace Trident
