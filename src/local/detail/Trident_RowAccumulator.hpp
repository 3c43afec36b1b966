#ifndef TRIDENT_ROW_ACCUMULATOR_HPP
#define TRIDENT_ROW_ACCUMULATOR_HPP

#include "local/detail/Trident_LazyArray.hpp"

namespace Trident {
namespace detail {

/// Sums the entries of one row of C at a time and gives them back sorted by column.
///
/// A dense array holds the sums; a bitmap says which columns are in use, a second which of its words, a third
/// which words of the second. Emission walks the bitmaps, so a row comes out sorted without a sort and at a
/// cost that hardly depends on the width, and leaves all sums zero for the next row. No first pass to count
/// is needed. Memory: (8 + 1/8) bytes a column, touched only where rows reach.
///
/// A sum starts from +0, so a single product of -0 comes out as +0.
template <class Scalar, class Ordinal>
class RowAccumulator {
 public:
  /// Throws std::bad_alloc.
  explicit RowAccumulator(std::int64_t width)
      : blocks_((width >> 6) + 1),
        groups_((blocks_ >> 6) + 1),
        supers_((groups_ >> 6) + 1),
        sum_(lazyArray<Scalar>(blocks_ << 6)),
        used_(lazyArray<std::uint64_t>(blocks_)),
        usedBlocks_(lazyArray<std::uint64_t>(groups_)),
        usedGroups_(lazyArray<std::uint64_t>(supers_)) {}

  // No branch on whether the column is new: on power-law rows it is mispredicted for half the time of the
  // whole product.
  void add(Ordinal column, const Scalar& value) {
    const auto block = static_cast<std::size_t>(column) >> 6;
    const std::uint64_t used = used_[block];
    sum_[column] += value;
    used_[block] = used | std::uint64_t{1} << (column & 63);
    if (used == 0) markBlock(block);
  }

  /// Writes the row's columns, counted from `first` on, and sums and forgets them. Returns how many there
  /// were.
  std::int64_t emit(Ordinal* columns, Scalar* values, Ordinal first = 0) {
    std::int64_t count = 0;
    forEachColumn([&](Ordinal column) {
      columns[count] = first + column;
      values[count] = sum_[column];
      sum_[column] = Scalar(0);
      ++count;
    });
    return count;
  }

  /// Forgets the row.
  void forget() {
    forEachColumn([this](Ordinal column) { sum_[column] = Scalar(0); });
  }

 private:
  // Visits the columns in use, ascending, which are none after.
  template <class Visit>
  void forEachColumn(const Visit& visit) {
    for (std::int64_t super = 0; super < supers_; ++super)
      forEachBit(usedGroups_[super], [&](int groupBit) {
        const std::int64_t group = (super << 6) + groupBit;
        forEachBit(usedBlocks_[group], [&](int blockBit) {
          const std::int64_t block = (group << 6) + blockBit;
          forEachBit(used_[block], [&](int bit) { visit(static_cast<Ordinal>((block << 6) + bit)); });
        });
      });
  }

  void markBlock(std::size_t block) {
    const std::size_t group = block >> 6;
    if (usedBlocks_[group] == 0) usedGroups_[group >> 6] |= std::uint64_t{1} << (group & 63);
    usedBlocks_[group] |= std::uint64_t{1} << (block & 63);
  }

  template <class Visit>
  static void forEachBit(std::uint64_t& word, const Visit& visit) {
    std::uint64_t left = word;
    word = 0;
    for (; left != 0; left &= left - 1) visit(__builtin_ctzll(left));
  }

  std::int64_t blocks_;
  std::int64_t groups_;
  std::int64_t supers_;
  LazyArray<Scalar> sum_;
  LazyArray<std::uint64_t> used_;
  LazyArray<std::uint64_t> usedBlocks_;
  LazyArray<std::uint64_t> usedGroups_;
};

/// Sums the entries of a row of C whose columns are known: the sums alone.
template <class Scalar, class Ordinal>
class ColumnSums {
 public:
  /// Throws std::bad_alloc.
  explicit ColumnSums(std::int64_t width) : sum_(lazyArray<Scalar>(width)) {}

  void add(Ordinal column, const Scalar& value) { sum_[column] += value; }

  /// The sum of a column, which is then zero.
  Scalar take(Ordinal column) {
    const Scalar sum = sum_[column];
    sum_[column] = Scalar(0);
    return sum;
  }

 private:
  LazyArray<Scalar> sum_;
};

}  // namespace detail
}  // namespace Trident

#endif
