#ifndef TRIDENT_ROW_ACCUMULATOR_HPP
#define TRIDENT_ROW_ACCUMULATOR_HPP

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace Trident {
namespace detail {

/// Sums the entries of one row of C at a time and gives them back sorted by column.
///
/// A dense array holds the sums; a bitmap says which columns are in use, a second which of its words, a third
/// which words of the second. Emission walks the bitmaps, so a row comes out sorted without a sort and at a
/// cost that hardly depends on the width. Neither a first pass to count nor a clearing of the sums is needed:
/// a sum is written, not added to, when its bit is first set. Memory: (8 + 1/8) bytes a column, touched only
/// where rows reach.
template <class Scalar, class Ordinal>
class RowAccumulator {
 public:
  /// Throws std::bad_alloc.
  explicit RowAccumulator(std::int64_t width)
      : blocks_((width >> 6) + 1),
        groups_((blocks_ >> 6) + 1),
        supers_((groups_ >> 6) + 1),
        sum_(zeroed<Scalar>(blocks_ << 6)),
        used_(zeroed<std::uint64_t>(blocks_)),
        usedBlocks_(zeroed<std::uint64_t>(groups_)),
        usedGroups_(zeroed<std::uint64_t>(supers_)) {}

  void add(Ordinal column, const Scalar& value) {
    const auto block = static_cast<std::size_t>(column) >> 6;
    const std::uint64_t bit = std::uint64_t{1} << (column & 63);
    const std::uint64_t used = used_[block];
    if ((used & bit) != 0) {
      sum_[column] += value;
      return;
    }
    sum_[column] = value;
    used_[block] = used | bit;
    if (used == 0) markBlock(block);
  }

  /// Writes the row's columns and sums and forgets them. Returns how many there were.
  std::int64_t emit(Ordinal* columns, Scalar* values) {
    std::int64_t count = 0;
    for (std::int64_t super = 0; super < supers_; ++super)
      forEachBit(usedGroups_[super], [&](int groupBit) {
        const std::int64_t group = (super << 6) + groupBit;
        forEachBit(usedBlocks_[group], [&](int blockBit) {
          const std::int64_t block = (group << 6) + blockBit;
          forEachBit(used_[block], [&](int bit) {
            const auto column = static_cast<Ordinal>((block << 6) + bit);
            columns[count] = column;
            values[count] = sum_[column];
            ++count;
          });
        });
      });
    return count;
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  template <class T>
  using Array = std::unique_ptr<T[], Free>;

  // calloc: pages of a wide, sparsely used array are never touched.
  template <class T>
  static Array<T> zeroed(std::int64_t count) {
    void* memory = std::calloc(static_cast<std::size_t>(count), sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return Array<T>(static_cast<T*>(memory));
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
  Array<Scalar> sum_;
  Array<std::uint64_t> used_;
  Array<std::uint64_t> usedBlocks_;
  Array<std::uint64_t> usedGroups_;
};

}  // namespace detail
}  // namespace Trident

#endif
