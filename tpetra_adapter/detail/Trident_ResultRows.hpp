#ifndef TRIDENT_RESULT_ROWS_HPP
#define TRIDENT_RESULT_ROWS_HPP

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "detail/Trident_BlockNumbers.hpp"
#include "detail/Trident_ColumnNumbering.hpp"
#include "detail/Trident_IdMap.hpp"
#include "detail/Trident_OwnColumnsFirst.hpp"
#include "detail/Trident_Settlement.hpp"
#include "multiply/Trident_MapBack.hpp"
#include "topology/Trident_Pages.hpp"

namespace Trident {
namespace detail {

/// This rank's rows of C with the local columns that Tpetra would give them: those of the domain map first,
/// then the others grouped by owner, ascending. Rows are sorted.
template <class Types>
struct ResultRows {
  using Tiles = typename Types::tile_types;
  typename Tiles::Offsets rowPtr;
  typename Tiles::Ordinals columns;
  typename Tiles::Values values;

  /// Global index, owner and local index there of each column beyond the domain map's own.
  std::vector<typename Types::global_ordinal_type> otherGlobals;
  AskedColumns others;

  std::int64_t longestRow() const {
    std::size_t longest = 0;
    for (std::size_t i = 0; i + 1 < rowPtr.extent(0); ++i)
      longest = std::max(longest, rowPtr(i + 1) - rowPtr(i));
    return static_cast<std::int64_t>(longest);
  }
};

/// The order in which the entries of C's rows stand: own columns first, then the others by owner. What is
/// kept of an assembly to put the values of another product of the same pattern in place.
template <class Types>
class RowOrder {
 public:
  using Blocks = std::vector<BlockOfRows<typename Types::tile_types>>;
  using LO = typename Types::local_ordinal_type;
  using value_type = typename Types::impl_scalar_type;

  /// Whether a row is its own columns first and then the others, both by ascending id.
  bool rotates() const { return numbering_.ascends(); }
  std::int64_t ownFirst() const { return numbering_.ownFirst(); }
  std::int64_t ownEnd() const { return numbering_.ownEnd(); }

  explicit RowOrder(ColumnNumbering numbering) : numbering_(std::move(numbering)) {}

  /// The values of the rows, one after the other; `to` has room for them all.
  void arrange(const Blocks& blocks, value_type* to) const {
    const std::size_t rows = blocks.empty() ? 0 : blocks.front().rowPtr.extent(0);
    for (std::size_t i = 0; i + 1 < rows; ++i)
      to = numbering_.ascends() ? rotateRow(blocks, i, to) : sortRow(blocks, i, to);
  }

 private:
  // Entries come by ascending id: others below the own ids, own, others above; own ones go first.
  value_type* rotateRow(const Blocks& blocks, std::size_t i, value_type* to) const {
    value_type* const begin = to;
    std::size_t firstOwn = 0, endOwn = 0;
    for (const auto& block : blocks) {
      const LO* const first = block.columns.data() + block.rowPtr(i);
      const LO* const last = block.columns.data() + block.rowPtr(i + 1);
      const auto below = [&](std::int64_t id) {
        return static_cast<std::size_t>(
            std::partition_point(first, last, [&](LO column) { return block.firstColumn + column < id; }) -
            first);
      };
      firstOwn += below(numbering_.ownFirst());
      endOwn += below(numbering_.ownEnd());
      to = std::copy_n(block.values.data() + block.rowPtr(i), last - first, to);
    }
    std::rotate(begin, begin + firstOwn, begin + endOwn);
    return to;
  }

  value_type* sortRow(const Blocks& blocks, std::size_t i, value_type* to) const {
    std::vector<std::pair<LO, value_type>> row;
    for (const auto& block : blocks)
      for (std::size_t e = block.rowPtr(i); e < block.rowPtr(i + 1); ++e)
        row.emplace_back(static_cast<LO>(numbering_.numberOf(block.firstColumn + block.columns(e))),
                         block.values(e));
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return std::transform(row.begin(), row.end(), to, [](const auto& entry) { return entry.second; });
  }

  ColumnNumbering numbering_;
};

/// Builds ResultRows from the column blocks that a product returns. Collective only if the domain map is not
/// consecutive on every rank.
template <class Types>
class ResultAssembly {
  static_assert(
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Types::device_type::memory_space>::accessible,
      "C is assembled on host memory; a device backend needs mirrors here");

 public:
  using Tiles = typename Types::tile_types;
  using Blocks = std::vector<BlockOfRows<Tiles>>;
  using LO = typename Types::local_ordinal_type;
  using GO = typename Types::global_ordinal_type;

  ResultAssembly(const IndexSpace& columns, const IdMap<Types>& domain, int rank)
      : columns_(columns),
        domain_(domain),
        ownCount_(ownedBy(columns, rank)),
        numbering_(columns.size(), columns.pieces()[columns.piecesOf(rank).front()].start, ownCount_) {}

  /// As assemble(), of blocks whose columns may come in any order, as those of column phases do.
  ResultRows<Types> assembleAny(const Blocks& blocks) {
    ResultRows<Types> result;
    for (const auto& block : blocks) useColumns(block, numbering_);
    nameOthers(numbering_, result);
    allocateRows(blocks, result);
    std::vector<std::pair<LO, typename Types::impl_scalar_type>> row;
    for (std::int64_t i = 0; i < rowsOf(blocks.front()); ++i) {
      row.clear();
      for (const auto& block : blocks)
        for (std::size_t e = block.rowPtr(i); e < block.rowPtr(i + 1); ++e)
          row.emplace_back(static_cast<LO>(numbering_.numberOf(block.firstColumn + block.columns(e))),
                           block.values(e));
      std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t e = 0; e < row.size(); ++e)
        std::tie(result.columns(result.rowPtr(i) + e), result.values(result.rowPtr(i) + e)) = row[e];
    }
    return result;
  }

  /// The ids of C's local columns. After assemble().
  std::vector<std::int64_t> idsOfColumns(const ResultRows<Types>& rows) const {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(ownCount_));
    std::iota(ids.begin(), ids.end(), numbering_.ownFirst());
    for (std::size_t x = 0; x < rows.others.owners.size(); ++x) {
      const std::int64_t local = rows.others.locals[x];
      for (const int p : columns_.piecesOf(rows.others.owners[x])) {
        const Piece& piece = columns_.pieces()[p];
        if (local >= piece.firstLocal && local < piece.firstLocal + piece.count)
          ids.push_back(piece.start + local - piece.firstLocal);
      }
    }
    return ids;
  }

  /// The order of the rows that assemble() has built.
  RowOrder<Types> order() const {
    return RowOrder<Types>(numbering_.ascends() ? numbering_.ownRange() : numbering_);
  }

  ResultRows<Types> assemble(Blocks& blocks) {
    ResultRows<Types> result;
    if (ownCount_ == columns_.size()) {
      domain_.globalsOf({});  // the other ranks may be asking
      return takeWhole(blocks);
    }
    for (const auto& block : blocks) useColumns(block, numbering_);
    const ColumnNumbering& numbering = numbering_;
    nameOthers(numbering_, result);
    if (blocks.size() == 1)
      arrangeInPlace(blocks.front(), numbering, result);
    else
      join(blocks, numbering, result);
    return result;
  }

 private:
  static std::int64_t ownedBy(const IndexSpace& columns, int rank) {
    std::int64_t count = 0;
    for (const int piece : columns.piecesOf(rank)) count += columns.pieces()[piece].count;
    return count;
  }

  // All columns are this rank's own and ids are their local indices: nothing to do. They lie in one column
  // block, that of this rank's node; the other blocks have no columns.
  static ResultRows<Types> takeWhole(Blocks& blocks) {
    auto& block = *std::max_element(blocks.begin(), blocks.end(),
                                    [](const auto& x, const auto& y) { return x.width < y.width; });
    ResultRows<Types> result;
    pushTogether(block);
    result.rowPtr = block.rowPtr;
    result.columns = block.columns;
    result.values = block.values;
    return result;
  }

  void nameOthers(ColumnNumbering& numbering, ResultRows<Types>& result) const {
    const std::vector<std::int64_t> ids = numbering.number();
    const std::vector<GO> globals = domain_.globalsOf(ids);
    std::vector<std::pair<int, GO>> key;
    for (std::size_t x = 0; x < ids.size(); ++x) key.emplace_back(columns_.pieceAt(ids[x]).rank, globals[x]);
    std::vector<std::int64_t> order(ids.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    if (!std::is_sorted(key.begin(), key.end())) {
      std::sort(order.begin(), order.end(),
                [&key](std::int64_t a, std::int64_t b) { return key[a] < key[b]; });
      std::vector<std::int64_t> position(order.size());
      for (std::size_t place = 0; place < order.size(); ++place)
        position[order[place]] = static_cast<std::int64_t>(place);
      numbering.reorder(std::move(position));
    }
    for (const std::int64_t x : order) {
      const Piece& piece = columns_.pieceAt(ids[x]);
      result.others.owners.push_back(piece.rank);
      result.others.locals.push_back(static_cast<std::int32_t>(piece.firstLocal + ids[x] - piece.start));
      result.otherGlobals.push_back(key[x].second);
    }
  }

  static void arrangeInPlace(const BlockOfRows<Tiles>& block, const ColumnNumbering& numbering,
                             ResultRows<Types>& result) {
    result.rowPtr = OwnColumnsFirst<Types>(numbering).arrange(block);
    const std::size_t entries = block.rows() == 0 ? 0 : result.rowPtr(block.rows());
    result.columns = firstEntries(block.columns, entries);
    result.values = firstEntries(block.values, entries);
  }

  void join(const Blocks& blocks, const ColumnNumbering& numbering, ResultRows<Types>& result) {
    allocateRows(blocks, result);
    OwnColumnsFirst<Types>(numbering).join(blocks, {result.columns.data(), result.values.data()});
  }

  static void allocateRows(const Blocks& blocks, ResultRows<Types>& result) {
    const std::int64_t rows = rowsOf(blocks.front());
    result.rowPtr = allocate<typename Tiles::Offsets>("Trident::C::rowPtr", rows + 1);
    std::size_t entries = 0;
    for (std::int64_t i = 0; i <= rows; ++i) {
      entries = 0;
      for (const auto& block : blocks) entries += block.rowPtr.extent(0) == 0 ? 0 : block.rowPtr(i);
      result.rowPtr(i) = entries;
    }
    result.columns =
        allocate<typename Tiles::Ordinals>("Trident::C::columns", static_cast<std::int64_t>(entries));
    result.values =
        allocate<typename Tiles::Values>("Trident::C::values", static_cast<std::int64_t>(entries));
  }

  static std::int64_t rowsOf(const BlockOfRows<Tiles>& block) {
    return block.rowPtr.extent(0) == 0 ? 0 : static_cast<std::int64_t>(block.rowPtr.extent(0)) - 1;
  }

  const IndexSpace& columns_;
  const IdMap<Types>& domain_;
  std::int64_t ownCount_;
  ColumnNumbering numbering_;
};

}  // namespace detail
}  // namespace Trident

#endif
