#ifndef TRIDENT_TRANSPOSED_ROWS_HPP
#define TRIDENT_TRANSPOSED_ROWS_HPP

#include <cstdint>
#include <vector>

#include "layout/Trident_Tile.hpp"

namespace Trident {

/// The transpose of a rank's rows: row c holds local column c, its columns are the local rows, ascending. The
/// pattern is turned once; values can be filled in again. On the host.
template <class Types>
class TransposedRows {
 public:
  explicit TransposedRows(const LocalRows<Types>& A) {
    const auto columns = static_cast<std::int64_t>(A.columnIds.extent(0));
    const auto entries = static_cast<std::int64_t>(A.columns.extent(0));
    rows_.rowPtr = allocate<typename Types::Offsets>("Trident::transposed::rowPtr", columns + 1);
    rows_.columns = allocate<typename Types::Ordinals>("Trident::transposed::columns", entries);
    std::vector<std::size_t> next(static_cast<std::size_t>(columns) + 1, 0);
    for (std::int64_t e = 0; e < entries; ++e) ++next[A.columns(e) + 1];
    for (std::int64_t c = 0; c < columns; ++c) next[c + 1] += next[c];
    std::copy(next.begin(), next.end(), rows_.rowPtr.data());
    for (std::int64_t i = 0; i < A.rows(); ++i)
      for (std::size_t e = A.rowPtr(i); e < A.rowPtr(i + 1); ++e)
        rows_.columns(next[A.columns(e)]++) = static_cast<typename Types::ordinal_type>(i);
    fillValues(A);
  }

  /// The values of a matrix of the same pattern.
  void fillValues(const LocalRows<Types>& A) {
    if (rows_.values.extent(0) != rows_.columns.extent(0))
      rows_.values = allocate<typename Types::Values>("Trident::transposed::values",
                                                      static_cast<std::int64_t>(rows_.columns.extent(0)));
    std::vector<std::size_t> next(rows_.rowPtr.data(), rows_.rowPtr.data() + rows_.rowPtr.extent(0));
    for (std::size_t e = 0; e < A.columns.extent(0); ++e) rows_.values(next[A.columns(e)]++) = A.values(e);
  }

  /// Frees the values; fillValues() allocates them again.
  void dropValues() { rows_.values = {}; }

  std::int64_t keptBytes() const {
    return static_cast<std::int64_t>(rows_.columns.extent(0) * sizeof(typename Types::ordinal_type) +
                                     rows_.rowPtr.extent(0) * sizeof(std::size_t));
  }

  const CsrRows<Types>& rows() const { return rows_; }

 private:
  CsrRows<Types> rows_;
};

}  // namespace Trident

#endif
