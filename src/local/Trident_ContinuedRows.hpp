#ifndef TRIDENT_CONTINUED_ROWS_HPP
#define TRIDENT_CONTINUED_ROWS_HPP

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "local/Trident_LocalProduct.hpp"
#include "local/detail/Trident_OutputRows.hpp"

namespace Trident {

/// The sum over the rounds, worked off in pieces of rows while later rounds are still on their way.
///
/// A piece remembers how many rounds its sums have; later rounds are added to these sums, in round order, so
/// it does not show in the bits which rounds were there when. A piece costs little more than its
/// multiplications: its sums are written and read once more. So pieces are for time that would be lost to
/// waiting; whatever is left is done in one pass at the end.
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
    if (next_ < batch.rows) {
      pieces_.push_back({{next_, std::min(batch.rows, next_ + rowsPerPiece), {}}, doneBefore_});
      advance(pieces_.back(), batch, productsPerPiece_);
      next_ = pieces_.back().rows.end;
      return true;
    }
    if (roundsOfAll_ == rounds) return false;
    for (std::size_t looked = 0; looked < pieces_.size(); ++looked, ++cursor_) {
      if (cursor_ >= pieces_.size()) cursor_ = 0;
      if (pieces_[cursor_].done == rounds) continue;
      advance(pieces_[cursor_], batch, std::numeric_limits<std::int64_t>::max());
      return true;
    }
    roundsOfAll_ = rounds;
    return false;
  }

  /// Adds the batch to all rows; its operands may go then.
  void finishBatch(const LocalOperands<Types>& batch, const Progress& progress) {
    while (work(batch)) progress();
    doneBefore_ += static_cast<int>(batch.A.size());
  }

  /// Adds the last batch to all rows. The result, or nothing if there is a pattern.
  CsrRows<Types> finish(const LocalOperands<Types>& batch, const Progress& progress) {
    if (pieces_.empty() && doneBefore_ == 0) return finishAtOnce(batch, progress);
    if (pattern_ != nullptr) {
      finishBatch(batch, progress);
      return {};
    }
    pieces_.push_back({{next_, batch.rows, {}}, doneBefore_});
    std::int64_t atMost = product_.entriesAtMost(batch);
    if (doneBefore_ > 0)
      for (const Piece& piece : pieces_) atMost += entriesOf(piece);
    detail::OutputRows<Types> C(batch.rows, std::min(atMost, batch.rows * batch.width));
    for (Piece& piece : pieces_) {
      const LocalOperands<Types> left = roundsLeft(piece, batch);
      while (piece.rows.first < piece.rows.end) {
        // A piece with sums is done at one go, as its first row is that of its sums.
        const std::int64_t most =
            piece.rows.sums.rows() > 0 ? std::numeric_limits<std::int64_t>::max() : productsPerProgress;
        piece.rows.first = product_.appendRows(left, piece.rows, most, C, multiplications_);
        progress();
      }
      piece.rows.sums = {};
    }
    pieces_.clear();
    return C.finish();
  }

 private:
  struct Piece {
    BegunRows<Types> rows;
    int done;  // rounds in the sums
  };

  static constexpr std::int64_t rowsPerPiece = 1 << 16;
  static constexpr std::int64_t productsPerProgress = 1 << 20;

  static std::int64_t entriesOf(const Piece& piece) {
    return static_cast<std::int64_t>(piece.rows.sums.columns.extent(0));
  }

  CsrRows<Types> finishAtOnce(const LocalOperands<Types>& batch, const Progress& progress) {
    if (pattern_ == nullptr) return product_.multiply(batch, progress, multiplications_);
    product_.multiplyInto(*pattern_, batch, progress, multiplications_);
    return {};
  }

  LocalOperands<Types> roundsLeft(const Piece& piece, const LocalOperands<Types>& batch) const {
    LocalOperands<Types> left = batch;
    left.A.erase(left.A.begin(), left.A.begin() + (piece.done - doneBefore_));
    return left;
  }

  // Adds the rounds it lacks to a piece. A new one ends with the row that makes it as large as it may be.
  void advance(Piece& piece, const LocalOperands<Types>& batch, std::int64_t most) {
    const LocalOperands<Types> left = roundsLeft(piece, batch);
    if (pattern_ != nullptr) {
      piece.rows.end = product_.addRows(left, piece.rows, most, *pattern_, multiplications_);
    } else {
      const std::int64_t rows = piece.rows.end - piece.rows.first;
      const std::int64_t sums = entriesOf(piece);
      detail::OutputRows<Types> C(rows, std::min(sums + productsPerPiece_ * 5 / 4, rows * batch.width));
      piece.rows.end = product_.appendRows(left, piece.rows, most, C, multiplications_);
      piece.rows.sums = C.finish();
    }
    piece.done = doneBefore_ + static_cast<int>(batch.A.size());
  }

  LocalProduct<Types>& product_;
  std::int64_t productsPerPiece_;
  const KnownPattern<Types>* pattern_;
  std::int64_t& multiplications_;
  std::vector<Piece> pieces_;  // one after the other, from row 0 to next_
  std::int64_t next_ = 0;
  std::size_t cursor_ = 0;  // the piece whose turn it is
  int doneBefore_ = 0;      // rounds of the batches before this one
  int roundsOfAll_ = 0;     // rounds that all pieces are known to have
};

}  // namespace Trident

#endif
