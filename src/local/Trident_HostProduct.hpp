#ifndef TRIDENT_HOST_PRODUCT_HPP
#define TRIDENT_HOST_PRODUCT_HPP

#include <algorithm>
#include <memory>
#include <utility>

#include "local/Trident_LocalProduct.hpp"
#include "local/detail/Trident_AlikeRows.hpp"
#include "local/detail/Trident_OutputRows.hpp"
#include "local/detail/Trident_PatternRow.hpp"
#include "local/detail/Trident_RoundCursor.hpp"
#include "local/detail/Trident_RowAccumulator.hpp"
#include "local/detail/Trident_SlottedRows.hpp"

namespace Trident {

/// The local product on host memory: one pass, a dense accumulator with bitmaps, B's rows prefetched.
///
/// No symbolic pass, no sort of C's rows, no sum after the rounds: all rounds of a batch go into one
/// accumulator. Runs of rows of one pattern, as structured grids have them, are computed together. One
/// thread.
template <class Types>
class HostProduct : public LocalProduct<Types> {
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;
  using LocalProduct<Types>::productsPerProgress;

 public:
  const char* name() const override { return "host"; }

  CsrRows<Types> multiply(const LocalOperands<Types>& operands, const std::function<void()>& progress,
                          std::int64_t& multiplications) override {
    detail::RowAccumulator<Scalar, Ordinal> row(operands.width);
    detail::OutputRows<Types> C(operands.rows, entriesAtMost(operands));
    const std::vector<Cursor> rounds = detail::cursors<Types>(operands);

    detail::AlikeRows<Types> alike(operands);
    const bool prefetch = prefetches(operands);

    std::int64_t untilProgress = productsPerProgress;
    for (std::int64_t i = 0; i < operands.rows;) {
      std::int64_t added = 0;
      if (const std::int64_t appended = alike.append(i, C, added)) {
        i += appended;
      } else {
        added = addRounds(rounds, prefetch, i, operands, row);
        C.reserve(std::min(added, operands.width));
        const std::int64_t entries = row.emit(C.columns(), C.values());
        C.endRow(entries);
        ++i;
        alike.startAfter(entries);
      }
      multiplications += added;
      untilProgress -= added;
      if (untilProgress < 0) {
        progress();
        untilProgress = productsPerProgress;
      }
    }
    return C.finish();
  }

  bool fillsSlots() const override { return true; }

  bool multiplyIntoSlots(const LocalOperands<Types>& operands, Ordinal first, detail::SlottedRows<Types>& C,
                         const std::function<void()>& progress, std::int64_t& multiplications) override {
    auto& row = accumulator(operands.width);
    const std::vector<Cursor> rounds = detail::cursors<Types>(operands);
    const bool prefetch = prefetches(operands);
    std::int64_t untilProgress = productsPerProgress;
    for (std::int64_t i = 0; i < operands.rows; ++i) {
      const std::int64_t added = addRounds(rounds, prefetch, i, operands, row);
      if (!C.fits(i, std::min(added, operands.width))) {
        row.forget();
        return false;
      }
      C.grow(i, row.emit(C.columns(i), C.values(i), first));
      multiplications += added;
      untilProgress -= added;
      if (untilProgress < 0) {
        progress();
        untilProgress = productsPerProgress;
      }
    }
    return true;
  }

  bool fillsPatterns() const override { return true; }

  // No bitmap, no output to grow: sums are looked up where the pattern says.
  void multiplyInto(const KnownPattern<Types>& C, const LocalOperands<Types>& operands,
                    const std::function<void()>& progress, std::int64_t& multiplications) override {
    if (C.rotates && C.whole()) {
      detail::AlikeRows<Types> alike(operands);
      if (alike.structured()) return copyInto(C, alike, operands, progress, multiplications);
    }
    detail::ColumnSums<Scalar, Ordinal> row(operands.width);
    const std::vector<Cursor> rounds = detail::cursors<Types>(operands);
    const bool prefetch = prefetches(operands);
    std::int64_t untilProgress = productsPerProgress;
    for (std::int64_t i = 0; i < operands.rows; ++i) {
      const std::int64_t added = addRounds(rounds, prefetch, i, operands, row);
      detail::forEachOfRow(C, i, [&](std::size_t e, Ordinal column) { C.values[e] += row.take(column); });
      multiplications += added;
      untilProgress -= added;
      if (untilProgress < 0) {
        progress();
        untilProgress = productsPerProgress;
      }
    }
  }

  bool continues() const override { return true; }

  std::int64_t appendRows(const LocalOperands<Types>& operands, const BegunRows<Types>& rows,
                          std::int64_t most, detail::OutputRows<Types>& C,
                          std::int64_t& multiplications) override {
    auto& row = accumulator(operands.width);
    const std::vector<Cursor> rounds = detail::cursors<Types>(operands);
    const bool prefetch = prefetches(operands);
    std::int64_t i = rows.first;
    for (std::int64_t done = 0; i < rows.end && done < most; ++i) {
      std::int64_t entries = takeUp(rows, i - rows.first, row);
      const std::int64_t added = addRounds(rounds, prefetch, i, operands, row);
      entries += added;
      done += added;
      C.reserve(std::min(entries, operands.width));
      C.endRow(row.emit(C.columns(), C.values()));
      multiplications += added;
    }
    return i;
  }

  std::int64_t addRows(const LocalOperands<Types>& operands, const BegunRows<Types>& rows, std::int64_t most,
                       const KnownPattern<Types>& C, std::int64_t& multiplications) override {
    auto& row = columnSums(operands.width);
    const std::vector<Cursor> rounds = detail::cursors<Types>(operands);
    const bool prefetch = prefetches(operands);
    std::int64_t i = rows.first;
    for (std::int64_t done = 0; i < rows.end && done < most; ++i) {
      detail::forEachOfRow(C, i, [&](std::size_t e, Ordinal column) { row.add(column, C.values[e]); });
      const std::int64_t added = addRounds(rounds, prefetch, i, operands, row);
      detail::forEachOfRow(C, i, [&](std::size_t e, Ordinal column) { C.values[e] = row.take(column); });
      done += added;
      multiplications += added;
    }
    return i;
  }

  // By the longest row of B if that is small enough to reserve, or else
  // counted.
  std::int64_t entriesAtMost(const LocalOperands<Types>& operands) const override {
    constexpr double cheapToReserve = 1 << 24;
    std::size_t longest = 0;
    for (std::int64_t j = 0; j < operands.rowsOfB; ++j)
      longest = std::max(longest, operands.B.rowPtr(j + 1) - operands.B.rowPtr(j));
    double most = 0;
    for (const auto& A : operands.A)
      most += static_cast<double>(A.rowPtr(operands.rows)) * static_cast<double>(longest);
    if (most > cheapToReserve) most = static_cast<double>(countMultiplications(operands));
    return static_cast<std::int64_t>(
        std::min(most, static_cast<double>(operands.rows) * static_cast<double>(operands.width)));
  }

 private:
  // Structured rows are computed together and copied to their places: faster than looking each sum up.
  static void copyInto(const KnownPattern<Types>& C, detail::AlikeRows<Types>& alike,
                       const LocalOperands<Types>& operands, const std::function<void()>& progress,
                       std::int64_t& multiplications) {
    constexpr std::int64_t mostKept = 1 << 16;
    detail::RowAccumulator<Scalar, Ordinal> row(operands.width);
    detail::ColumnSums<Scalar, Ordinal> sums(operands.width);
    detail::OutputRows<Types> some(operands.rows, mostKept);
    const std::vector<Cursor> rounds = detail::cursors<Types>(operands);
    std::int64_t untilProgress = productsPerProgress;
    for (std::int64_t i = 0, last = 0; i < operands.rows;) {
      if (some.entries() > mostKept / 2) some.keepLast(last);
      std::int64_t added = 0;
      std::int64_t count = alike.append(i, some, added);
      if (count == 0) {
        for (const Cursor& A : rounds) added += addRow<true>(A, i, operands, row);
        some.reserve(std::min(added, operands.width));
        last = row.emit(some.columns(), some.values());
        some.endRow(last);
        alike.startAfter(last);
        count = 1;
      }
      for (std::int64_t k = 0; k < count; ++k) {
        const Ordinal* columns = some.columns() - (count - k) * last;
        const Scalar* values = some.values() - (count - k) * last;
        if (static_cast<std::int64_t>(C.rowPtr[i + k + 1] - C.rowPtr[i + k]) == last)
          rotateInto(C, i + k, columns, values, last);
        else
          lookUpInto(C, i + k, {columns, values, last}, sums);  // one batch of several has a part of the row
      }
      i += count;
      multiplications += added;
      untilProgress -= added;
      if (untilProgress < 0) {
        progress();
        untilProgress = productsPerProgress;
      }
    }
  }

  struct RowOfC {
    const Ordinal* columns;
    const Scalar* values;
    std::int64_t count;
  };

  static void lookUpInto(const KnownPattern<Types>& C, std::int64_t i, const RowOfC& row,
                         detail::ColumnSums<Scalar, Ordinal>& sums) {
    for (std::int64_t e = 0; e < row.count; ++e) sums.add(row.columns[e], row.values[e]);
    for (std::size_t e = C.rowPtr[i]; e < C.rowPtr[i + 1]; ++e)
      C.values[e] += sums.take(C.blockColumnOf[C.columns[e]]);
  }

  static void rotateInto(const KnownPattern<Types>& C, std::int64_t i, const Ordinal* columns,
                         const Scalar* values, std::int64_t count) {
    Scalar* to = C.values + C.rowPtr[i];
    const auto first = std::lower_bound(columns, columns + count, static_cast<Ordinal>(C.ownFirst)) - columns;
    const auto end =
        std::lower_bound(columns + first, columns + count, static_cast<Ordinal>(C.ownEnd)) - columns;
    for (std::ptrdiff_t e = first; e < end; ++e) *to++ += values[e];
    for (std::ptrdiff_t e = 0; e < first; ++e) *to++ += values[e];
    for (std::ptrdiff_t e = end; e < count; ++e) *to++ += values[e];
  }

  // How many entries of A ahead B's row pointers and B's rows are fetched into the cache. Measured on
  // Erdos-Renyi matrices, where every row of B is a cache miss.
  static constexpr std::size_t pointersAhead = 16;
  static constexpr std::size_t rowsAhead = 8;

  // Mean length of B's rows from which on that pays.
  static constexpr std::size_t shortestPrefetched = 3;

  static bool prefetches(const LocalOperands<Types>& operands) {
    return operands.rowsOfB > 0 && operands.B.rowPtr(operands.rowsOfB) >=
                                       shortestPrefetched * static_cast<std::size_t>(operands.rowsOfB);
  }

  using Cursor = detail::RoundCursor<Types>;

  // Kept from piece to piece of the rows: as wide as the matrix, they cost more to make than a piece may.
  detail::RowAccumulator<Scalar, Ordinal>& accumulator(std::int64_t width) {
    keepFor(width);
    if (!row_) row_ = std::make_unique<detail::RowAccumulator<Scalar, Ordinal>>(width);
    return *row_;
  }

  detail::ColumnSums<Scalar, Ordinal>& columnSums(std::int64_t width) {
    keepFor(width);
    if (!sums_) sums_ = std::make_unique<detail::ColumnSums<Scalar, Ordinal>>(width);
    return *sums_;
  }

  void keepFor(std::int64_t width) {
    if (std::exchange(width_, width) == width) return;
    row_.reset();
    sums_.reset();
  }

  // Loads the sums so far of a row, `row` counted from the first of `rows`; returns how many there are.
  static std::int64_t takeUp(const BegunRows<Types>& rows, std::int64_t row,
                             detail::RowAccumulator<Scalar, Ordinal>& sums) {
    if (rows.sums.rows() == 0) return 0;
    const std::size_t first = rows.sums.rowPtr(row);
    const std::size_t end = rows.sums.rowPtr(row + 1);
    for (std::size_t e = first; e < end; ++e) sums.add(rows.sums.columns(e), rows.sums.values(e));
    return static_cast<std::int64_t>(end - first);
  }

  template <class Row>
  static std::int64_t addRounds(const std::vector<Cursor>& rounds, bool prefetch, std::int64_t i,
                                const LocalOperands<Types>& operands, Row& row) {
    std::int64_t added = 0;
    for (const Cursor& A : rounds)
      added += prefetch ? addRow<true>(A, i, operands, row) : addRow<false>(A, i, operands, row);
    return added;
  }

  static std::int64_t countMultiplications(const LocalOperands<Types>& operands) {
    std::size_t count = 0;
    for (const Cursor& A : detail::cursors<Types>(operands))
      for (std::size_t e = 0; e < A.entries; ++e) {
        if (operands.skipZerosOfA && A.values[e] == Scalar(0)) continue;
        count += A.rowPtrOfB[A.columns[e] + 1] - A.rowPtrOfB[A.columns[e]];
      }
    return static_cast<std::int64_t>(count);
  }

  template <bool prefetch, class Row>
  static std::int64_t addRow(const Cursor& A, std::int64_t i, const LocalOperands<Types>& operands,
                             Row& row) {
    const Ordinal* columnsOfB = operands.B.columns.data();
    const Scalar* valuesOfB = operands.B.values.data();
    std::size_t added = 0;
    for (std::size_t e = A.rowPtr[i]; e < A.rowPtr[i + 1]; ++e) {
      // Written out here: GCC takes a function that only prefetches for one without effect and drops the
      // call.
      if (prefetch && e + pointersAhead < A.entries)
        __builtin_prefetch(&A.rowPtrOfB[A.columns[e + pointersAhead]]);
      if (prefetch && e + rowsAhead < A.entries) {
        const std::size_t next = A.rowPtrOfB[A.columns[e + rowsAhead]];
        __builtin_prefetch(columnsOfB + next);
        __builtin_prefetch(valuesOfB + next);
        __builtin_prefetch(valuesOfB + next + 8);
      }
      const Scalar a = A.values[e];
      if (operands.skipZerosOfA && a == Scalar(0)) continue;
      const std::size_t begin = A.rowPtrOfB[A.columns[e]];
      const std::size_t end = A.rowPtrOfB[A.columns[e] + 1];
      for (std::size_t q = begin; q < end; ++q) row.add(columnsOfB[q], a * valuesOfB[q]);
      added += end - begin;
    }
    return static_cast<std::int64_t>(added);
  }

  std::int64_t width_ = 0;
  std::unique_ptr<detail::RowAccumulator<Scalar, Ordinal>> row_;
  std::unique_ptr<detail::ColumnSums<Scalar, Ordinal>> sums_;
};

}  // namespace Trident

#endif
