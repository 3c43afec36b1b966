#include "io/Trident_Triplets.hpp"

#include <algorithm>
#include <cmath>

namespace Trident::IO {

namespace {

bool before(const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.col < b.col; }

void mergeInto(Entry& kept, const Entry& other, Merge merge) {
  if (merge == Merge::max) {
    kept.re = maxOrNan(kept.re, other.re);
  } else {
    kept.re += other.re;
    kept.im += other.im;
  }
}

}  // namespace

double maxOrNan(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  return std::max(a, b);
}

void sortEntries(std::vector<Entry>& entries) {
  // Many files are sorted already, and then the copy that stable_sort makes is saved.
  if (!std::is_sorted(entries.begin(), entries.end(), before))
    std::stable_sort(entries.begin(), entries.end(), before);
}

std::size_t sortAndMerge(std::vector<Entry>& entries, Merge merge) {
  sortEntries(entries);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (kept > 0 && samePlace(entries[kept - 1], entries[k]))
      mergeInto(entries[kept - 1], entries[k], merge);
    else
      entries[kept++] = entries[k];
  }
  const std::size_t merged = entries.size() - kept;
  entries.resize(kept);
  return merged;
}

void storeEntries(const std::vector<Entry>& entries, bool withImag, TripletMatrix& matrix) {
  const std::size_t count = entries.size();
  matrix.row.resize(count);
  matrix.col.resize(count);
  matrix.value.resize(count);
  matrix.imag.resize(withImag ? count : 0);
  for (std::size_t k = 0; k < count; ++k) {
    matrix.row[k] = entries[k].row;
    matrix.col[k] = entries[k].col;
    matrix.value[k] = entries[k].re;
    if (withImag) matrix.imag[k] = entries[k].im;
  }
}

}  // namespace Trident::IO
