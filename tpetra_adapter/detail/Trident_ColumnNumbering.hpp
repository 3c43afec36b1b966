#ifndef TRIDENT_COLUMN_NUMBERING_HPP
#define TRIDENT_COLUMN_NUMBERING_HPP

#include <cstdint>
#include <utility>
#include <vector>

namespace Trident {
namespace detail {

/// Local numbers for the columns that this rank's rows of C use: its own columns first, in local order, then
/// the others.
///
/// The others are found with one bit a column and numbered by counting bits, so memory is two bits a
/// column of the matrix, whatever the ids.
class ColumnNumbering {
 public:
  /// Own ids are [ownFirst, ownFirst + ownCount); all ids lie in [0, size).
  ColumnNumbering(std::int64_t size, std::int64_t ownFirst, std::int64_t ownCount)
      : ownFirst_(ownFirst), ownCount_(ownCount), used_(static_cast<std::size_t>(size / 64 + 1), 0) {}

  bool owns(std::int64_t id) const { return id >= ownFirst_ && id < ownFirst_ + ownCount_; }

  std::int64_t ownFirst() const { return ownFirst_; }
  std::int64_t ownEnd() const { return ownFirst_ + ownCount_; }

  /// The same own columns and no others.
  ColumnNumbering ownRange() const { return {0, ownFirst_, ownCount_}; }

  void use(std::int64_t id) {
    if (!owns(id)) used_[id >> 6] |= std::uint64_t{1} << (id & 63);
  }
  bool isUsed(std::int64_t id) const { return owns(id) || (used_[id >> 6] >> (id & 63) & 1) != 0; }

  /// Ends use(): the used ids of other ranks, ascending.
  std::vector<std::int64_t> number() {
    std::vector<std::int64_t> others;
    usedBefore_.reserve(used_.size());
    for (std::size_t word = 0; word < used_.size(); ++word) {
      usedBefore_.push_back(static_cast<std::int64_t>(others.size()));
      for (std::uint64_t left = used_[word]; left != 0; left &= left - 1)
        others.push_back(static_cast<std::int64_t>(word) * 64 + __builtin_ctzll(left));
    }
    return others;
  }

  /// Gives the other columns another order: the x-th ascending id gets the number ownCount + position[x].
  void reorder(std::vector<std::int64_t> position) { position_ = std::move(position); }

  /// Whether numbers of other columns ascend with their ids.
  bool ascends() const { return position_.empty(); }

  std::int64_t numberOf(std::int64_t id) const {
    if (owns(id)) return id - ownFirst_;
    const auto word = static_cast<std::size_t>(id >> 6);
    const std::uint64_t below = used_[word] & ((std::uint64_t{1} << (id & 63)) - 1);
    const std::int64_t x = usedBefore_[word] + __builtin_popcountll(below);
    return ownCount_ + (position_.empty() ? x : position_[x]);
  }

 private:
  std::int64_t ownFirst_;
  std::int64_t ownCount_;
  std::vector<std::uint64_t> used_;
  std::vector<std::int64_t> usedBefore_;
  std::vector<std::int64_t> position_;
};

}  // namespace detail
}  // namespace Trident

#endif
