#ifndef TRIDENT_IO_TRIPLETS_HPP
#define TRIDENT_IO_TRIPLETS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Trident::IO {

/// A whole sparse matrix as the readers return it: entries sorted by row, then column, no pair twice.
/// Indices start at 0. Explicit zeros of the file are kept. Size is proportional to the entries, never to
/// `rows`.
struct TripletMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::string field;     ///< real, integer, complex or pattern, as the file declared it
  std::string symmetry;  ///< what the file declared; the entries here are already expanded
  std::vector<std::int64_t> row;
  std::vector<std::int64_t> col;
  std::vector<double> value;
  std::vector<double> imag;           ///< imaginary parts; empty unless the field is complex
  std::vector<std::string> warnings;  ///< one text per kind of oddity that was accepted
  std::vector<std::string> labels;    ///< vertex names of an edge list, by row; empty when rows are the ids
};

/// One entry while a matrix is being put together.
struct Entry {
  std::int64_t row = 0;
  std::int64_t col = 0;
  double re = 0;
  double im = 0;
};

enum class Merge { sum, max };

/// The larger of two values, NaN if either is.
double maxOrNan(double a, double b);

inline bool samePlace(const Entry& a, const Entry& b) { return a.row == b.row && a.col == b.col; }

/// Sorts by row, then column; entries of the same place keep their order.
void sortEntries(std::vector<Entry>& entries);

/// Sorts likewise and merges entries of the same place, in their given order for the same rounding
/// everywhere. Merge::max looks at the real part only. Returns how many entries went away.
std::size_t sortAndMerge(std::vector<Entry>& entries, Merge merge);

/// Moves sorted entries into the arrays of `matrix`; `imag` is filled only if `withImag`.
void storeEntries(const std::vector<Entry>& entries, bool withImag, TripletMatrix& matrix);

}  // namespace Trident::IO

#endif
