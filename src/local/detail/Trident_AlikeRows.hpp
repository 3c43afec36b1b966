#ifndef TRIDENT_ALIKE_ROWS_HPP
#define TRIDENT_ALIKE_ROWS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "local/Trident_LocalProduct.hpp"
#include "local/detail/Trident_LazyArray.hpp"
#include "local/detail/Trident_OutputRows.hpp"
#include "local/detail/Trident_RoundCursor.hpp"

namespace Trident {
namespace detail {

/// Computes rows of C whose pattern is that of the row before, moved by some columns, several at once and
/// without looking at a column of B.
///
/// Row i is alike when A's row i is row i-1 moved by 0 or 1 and each row of B it meets is the row of B that
/// row i-1 meets, moved by one step. So it is on structured grids and where several unknowns share a point. A
/// product then lands where its counterpart of the row before landed: the places are found once for a run of
/// such rows. Sums are taken in the same order as for any other row.
template <class Types>
class AlikeRows {
 public:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

  explicit AlikeRows(const LocalOperands<Types>& operands)
      : rows_(operands.rows),
        width_(operands.width),
        skipZeros_(operands.skipZerosOfA),
        columnsOfB_(operands.B.columns.data()),
        valuesOfB_(operands.B.values.data()),
        rounds_(cursors<Types>(operands)) {
    worthwhile_ = operands.rowsOfB > 0 && operands.B.rowPtr(operands.rowsOfB) >=
                                              shortestWorthwhile * static_cast<std::size_t>(operands.rowsOfB);
    if (worthwhile_) findStepsOfB(operands);
  }

  /// Whether most rows of B are moved copies of the row before.
  bool structured() const {
    const auto alike =
        stepsOfB_.size() - static_cast<std::size_t>(std::count(stepsOfB_.begin(), stepsOfB_.end(), none));
    return worthwhile_ && 2 * alike > stepsOfB_.size();
  }

  /// Tells that the last row of C was computed otherwise and has `entries` entries.
  void startAfter(std::int64_t entries) {
    entries_ = entries;
    learnt_ = false;
  }

  /// Appends to C the rows from `row` on that are alike, a few at most. Returns how many, 0 if `row` is not;
  /// adds their multiplications to `products`.
  std::int64_t append(std::int64_t row, OutputRows<Types>& C, std::int64_t& products) {
    const std::int64_t count = alikeFrom(row);
    if (count == 0) return 0;
    if (!learnt_ && !learn(row - 1, C.columns() - entries_)) return 0;
    C.reserve(count * entries_);
    if (count == 4)
      multiply<4>(row, C.columns(), C.values());
    else if (count == 2)
      multiply<2>(row, C.columns(), C.values());
    else
      multiply<1>(row, C.columns(), C.values());
    for (std::int64_t k = 0; k < count; ++k) C.endRow(entries_);
    products += count * static_cast<std::int64_t>(places_.size());
    return count;
  }

 private:
  using Round = RoundCursor<Types>;

  // With shorter rows of B, finding the places is not what costs.
  static constexpr std::size_t shortestWorthwhile = 4;

  // 16 MiB of places; rows with more products do not come in runs.
  static constexpr std::size_t mostPlaces = std::size_t{1} << 22;

  static constexpr int mostTogether = 4;
  static constexpr Ordinal none = -1;

  // 4, 2, 1 or 0 rows from `row` on that are each like the one before.
  std::int64_t alikeFrom(std::int64_t row) {
    if (!worthwhile_) return 0;
    std::int64_t count = 0;
    while (count < mostTogether && row + count < rows_ && alike(row + count, steps_[count])) ++count;
    return count == 3 ? 2 : count;
  }

  // Notes where each product of a row lands among the row's columns.
  bool learn(std::int64_t row, const Ordinal* columns) {
    if (!placeOfColumn_) placeOfColumn_ = lazyArray<std::uint32_t>(width_);
    for (std::int64_t t = 0; t < entries_; ++t) placeOfColumn_[columns[t]] = static_cast<std::uint32_t>(t);
    places_.clear();
    for (const Round& A : rounds_)
      for (std::size_t e = A.rowPtr[row]; e < A.rowPtr[row + 1]; ++e) {
        const std::size_t end = A.rowPtrOfB[A.columns[e] + 1];
        if (places_.size() + end - A.rowPtrOfB[A.columns[e]] > mostPlaces) return false;
        for (std::size_t q = A.rowPtrOfB[A.columns[e]]; q < end; ++q)
          places_.push_back(placeOfColumn_[columnsOfB_[q]]);
      }
    learnt_ = true;
    return true;
  }

  // N rows from `row` on; their arrays begin where those of the row before end.
  template <int N>
  void multiply(std::int64_t row, Ordinal* columns, Scalar* values) {
    sums_.assign(static_cast<std::size_t>(entries_) * N, Scalar(0));
    const std::uint32_t* place = places_.data();
    for (const Round& A : rounds_) {
      const std::size_t length = A.rowPtr[row + 1] - A.rowPtr[row];
      for (std::size_t k = 0; k < length; ++k) place = addProducts<N>(A, row, k, place);
    }
    for (int n = 0; n < N; ++n)
      for (std::int64_t t = 0; t < entries_; ++t) {
        columns[n * entries_ + t] = columns[(n - 1) * entries_ + t] + steps_[n];
        values[n * entries_ + t] = sums_[t * N + n];
      }
  }

  // The products of the k-th entry of each of N rows of A. The rows of B have the same length.
  template <int N>
  const std::uint32_t* addProducts(const Round& A, std::int64_t row, std::size_t k,
                                   const std::uint32_t* place) {
    Scalar a[N];
    const Scalar* b[N];
    for (int n = 0; n < N; ++n) {
      const std::size_t e = A.rowPtr[row + n] + k;
      a[n] = A.values[e];
      b[n] = valuesOfB_ + A.rowPtrOfB[A.columns[e]];
    }
    const Ordinal j = A.columns[A.rowPtr[row] + k];
    const std::size_t length = A.rowPtrOfB[j + 1] - A.rowPtrOfB[j];
    Scalar* const sums = sums_.data();
    for (std::size_t q = 0; q < length; ++q) {
      Scalar* const sum = sums + static_cast<std::size_t>(place[q]) * N;
      // Three loops, so that the compiler makes vectors of the N rows.
      Scalar next[N];
      for (int n = 0; n < N; ++n) next[n] = a[n] * b[n][q];
      for (int n = 0; n < N; ++n) next[n] += sum[n];
      for (int n = 0; n < N; ++n) sum[n] = next[n];
    }
    return place + length;
  }

  // By how much each row of B is the row before it moved to the right.
  void findStepsOfB(const LocalOperands<Types>& operands) {
    const std::size_t* rowPtr = operands.B.rowPtr.data();
    stepsOfB_.assign(static_cast<std::size_t>(operands.rowsOfB), none);
    for (std::int64_t j = 1; j < operands.rowsOfB; ++j) {
      const std::size_t length = rowPtr[j + 1] - rowPtr[j];
      if (length == 0 || rowPtr[j] - rowPtr[j - 1] != length) continue;
      const Ordinal* now = columnsOfB_ + rowPtr[j];
      const Ordinal* before = columnsOfB_ + rowPtr[j - 1];
      const Ordinal step = now[0] - before[0];
      if (step >= 0 && movedBy(step, before, now, length)) stepsOfB_[j] = step;
    }
  }

  static bool movedBy(Ordinal step, const Ordinal* before, const Ordinal* now, std::size_t length) {
    if (now[length - 1] - before[length - 1] != step) return false;
    Ordinal different = 0;
    for (std::size_t q = 0; q < length; ++q) different |= (now[q] - before[q]) ^ step;
    return different == 0;
  }

  static bool anyZero(const Scalar* values, std::size_t length) {
    return std::find(values, values + length, Scalar(0)) != values + length;
  }

  // Whether a row is like the one before, and by how much its columns of C are moved.
  bool alike(std::int64_t row, Ordinal& step) const {
    if (row == 0) return false;
    step = none;
    for (const Round& A : rounds_)
      if (!alikeInRound(A, row, step)) return false;
    return step != none;
  }

  bool alikeInRound(const Round& A, std::int64_t row, Ordinal& step) const {
    const std::size_t before = A.rowPtr[row - 1];
    const std::size_t now = A.rowPtr[row];
    const std::size_t length = now - before;
    if (A.rowPtr[row + 1] - now != length) return false;
    if (length == 0) return true;
    const Ordinal moved = A.columns[now] - A.columns[before];
    if ((moved != 0 && moved != 1) || !movedBy(moved, A.columns + before, A.columns + now, length))
      return false;
    if (skipZeros_ && (anyZero(A.values + before, length) || anyZero(A.values + now, length))) return false;
    const Ordinal* steps = stepsOfB_.data() + A.firstRowOfB;
    const Ordinal stepOfB = moved == 0 ? 0 : steps[A.columns[now]];
    if (stepOfB == none || (step != none && step != stepOfB)) return false;
    step = stepOfB;
    return moved == 0 || std::all_of(A.columns + now, A.columns + now + length,
                                     [&](Ordinal column) { return steps[column] == stepOfB; });
  }

  std::int64_t rows_;
  std::int64_t width_;
  bool skipZeros_;
  bool worthwhile_ = false;
  const Ordinal* columnsOfB_;
  const Scalar* valuesOfB_;
  std::vector<Round> rounds_;
  std::vector<Ordinal> stepsOfB_;
  std::array<Ordinal, mostTogether> steps_{};
  std::int64_t entries_ = 0;  // of the last row of C
  bool learnt_ = false;
  LazyArray<std::uint32_t> placeOfColumn_;  // in the learnt row
  std::vector<std::uint32_t> places_;       // of the products of a row
  std::vector<Scalar> sums_;
};

}  // namespace detail
}  // namespace Trident

#endif
