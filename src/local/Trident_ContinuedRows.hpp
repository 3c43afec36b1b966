#ifndef TRIDENT_CONTINUED_ROWS_HPP
#define TRIDENT_CONTINUED_ROWS_HPP

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "local/Trident_LocalProduct.hpp"
#include "local/detail/Trident_OutputRows.hpp"

namespace Trident {

/// The sum over the rounds, worked off in pieces of rows while later rounds are still on their way.
///
/// Pieces are taken in the order of the rows, with all rounds that are here then; when all rows have been
/// taken, another pass adds the rounds that have come since. Rounds are added in their order, so it does not
/// show in the bits which were there when. Sums are written and read once more by every pass: it is for time
/// that would be lost to waiting. Whatever is left is done in one last pass.
template <class Types>
class ContinuedRows {
 public:
  using Progress = std::function<void()>;

  /// `product` must continue sums. A piece is about `productsPerPiece` multiplications. With a `pattern`,
  /// sums are added there.
  ContinuedRows(LocalProduct<Types>& product, std::int64_t productsPerPiece,
                const KnownPattern<Types>* pattern, std::int64_t& multiplications)
      : product_(product),
        productsPerPiece_(productsPerPiece),
        pattern_(pattern),
        multiplications_(multiplications) {}

  /// One more piece with the rounds that are here; false if there is none left. `batch` has all rounds of the
  /// batch that are here.
  bool work(const LocalOperands<Types>& batch) {
    const int rounds = doneBefore_ + static_cast<int>(batch.A.size());
    if (present_.next == batch.rows) {
      if (present_.stretches.empty() || present_.stretches.front().rounds == rounds) return false;
      std::swap(present_, earlier_);
      present_.restart();
    }
    const Stretch at = stretchAt(present_.next, batch.rows);
    if (at.rounds == rounds) return false;
    if (pattern_ == nullptr && !present_.sums)
      present_.sums.emplace(batch.rows,
                            std::min(4 * product_.entriesAtMost(batch), batch.rows * batch.width));
    const std::int64_t end = std::min(at.end, present_.next + rowsPerPiece);
    const std::int64_t before = multiplications_;
    present_.next = pattern_ != nullptr
                        ? product_.addRows(roundsLeft(at.rounds, batch), {present_.next, end, {}},
                                           productsPerPiece_, *pattern_, multiplications_)
                        : append(batch, {end, at.rounds}, productsPerPiece_, *present_.sums);
    productsOfPieces_ += multiplications_ - before;
    present_.stretches.push_back({present_.next, rounds});
    return true;
  }

  /// Whether pieces have saved more than they cost, as far as is known.
  bool pays() const {
    if (pattern_ != nullptr || !present_.sums || earlier_.next > 0) return true;
    return productsOfPieces_ >= productsPerEntryThatPay * present_.sums->entries();
  }

  /// Adds the batch to all rows; its operands may go then.
  void finishBatch(const LocalOperands<Types>& batch, const Progress& progress) {
    while (work(batch)) progress();
    doneBefore_ += static_cast<int>(batch.A.size());
  }

  /// Adds the last batch to all rows. The result, or nothing if there is a pattern.
  CsrRows<Types> finish(const LocalOperands<Types>& batch, const Progress& progress) {
    if (present_.stretches.empty() && doneBefore_ == 0) return finishAtOnce(batch, progress);
    if (pattern_ != nullptr) {
      finishBatch(batch, progress);
      return {};
    }
    std::int64_t atMost = product_.entriesAtMost(batch);
    if (doneBefore_ > 0)
      for (const Pass* pass : {&present_, &earlier_}) atMost += pass->sums ? pass->sums->entries() : 0;
    detail::OutputRows<Types> C(batch.rows, std::min(atMost, batch.rows * batch.width));
    // The rows of the present pass, then those that only the earlier one has, or none.
    Pass before = std::exchange(earlier_, std::exchange(present_, {}));
    for (const Stretch& stretch : earlier_.stretches) appendAll(batch, stretch, C, progress);
    earlier_ = std::move(before);
    while (present_.next < batch.rows) appendAll(batch, stretchAt(present_.next, batch.rows), C, progress);
    return C.finish();
  }

 private:
  // Rows up to `end` whose sums have so many rounds.
  struct Stretch {
    std::int64_t end;
    int rounds;
  };

  struct Pass {
    std::optional<detail::OutputRows<Types>> sums;
    std::vector<Stretch> stretches;
    std::int64_t next = 0;  // the first row that has not been taken

    void restart() {
      if (sums) sums->restart();
      stretches.clear();
      next = 0;
    }
  };

  // Measured on Erdos-Renyi matrices: with one product an entry, a last pass over sums that have three rounds
  // of four takes as long as the whole product.
  static constexpr std::int64_t productsPerEntryThatPay = 2;

  static constexpr std::int64_t rowsPerPiece = 1 << 16;

  CsrRows<Types> finishAtOnce(const LocalOperands<Types>& batch, const Progress& progress) {
    if (pattern_ == nullptr) return product_.multiply(batch, progress, multiplications_);
    product_.multiplyInto(*pattern_, batch, progress, multiplications_);
    return {};
  }

  // What the earlier pass has of a row; without one, no round of this batch.
  Stretch stretchAt(std::int64_t row, std::int64_t rows) const {
    const auto found =
        std::upper_bound(earlier_.stretches.begin(), earlier_.stretches.end(), row,
                         [](std::int64_t wanted, const Stretch& stretch) { return wanted < stretch.end; });
    return found == earlier_.stretches.end() ? Stretch{rows, doneBefore_} : *found;
  }

  LocalOperands<Types> roundsLeft(int rounds, const LocalOperands<Types>& batch) const {
    LocalOperands<Types> left = batch;
    left.A.erase(left.A.begin(), left.A.begin() + (rounds - doneBefore_));
    return left;
  }

  // Appends the rows from present_.next to `to.end`, whose earlier sums have to.rounds rounds, or the first
  // of them; returns the row after the last.
  std::int64_t append(const LocalOperands<Types>& batch, const Stretch& to, std::int64_t most,
                      detail::OutputRows<Types>& C) {
    BegunRows<Types> rows{present_.next, to.end, {}};
    if (earlier_.sums && earlier_.next > 0) rows.sums = earlier_.sums->rows(rows.first, rows.end);
    return product_.appendRows(roundsLeft(to.rounds, batch), rows, most, C, multiplications_);
  }

  void appendAll(const LocalOperands<Types>& batch, const Stretch& to, detail::OutputRows<Types>& C,
                 const Progress& progress) {
    while (present_.next < to.end) {
      present_.next = append(batch, to, LocalProduct<Types>::productsPerProgress, C);
      progress();
    }
  }

  LocalProduct<Types>& product_;
  std::int64_t productsPerPiece_;
  const KnownPattern<Types>* pattern_;
  std::int64_t& multiplications_;
  Pass present_;
  Pass earlier_;
  std::int64_t productsOfPieces_ = 0;
  int doneBefore_ = 0;  // rounds of the batches before this one
};

}  // namespace Trident

#endif
