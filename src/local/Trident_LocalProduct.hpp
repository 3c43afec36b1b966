#ifndef TRIDENT_LOCAL_PRODUCT_HPP
#define TRIDENT_LOCAL_PRODUCT_HPP

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "gather/Trident_TileGather.hpp"
#include "layout/Trident_Tile.hpp"

namespace Trident {

/// One round's A(i,r,k), with the row of the batch at which its B(r,j) begins: column c of the slice meets
/// row firstRowOfB + c.
template <class Types>
struct RoundOperand {
  typename Types::ConstOffsets rowPtr;
  typename Types::ConstOrdinals columns;
  typename Types::ConstValues values;
  std::int64_t firstRowOfB;
};

/// What a local product works on: C_slice = sum over the rounds of a batch of A(i,r,k) * B(r,j).
template <class Types>
struct LocalOperands {
  std::vector<RoundOperand<Types>> A;  ///< in round order, all with the same rows
  GatheredTile<Types> B;
  std::int64_t rows;         ///< of the slice
  std::int64_t rowsOfB;      ///< of the batch
  std::int64_t width;        ///< columns of the column block
  bool skipZerosOfA = true;  ///< a stored zero of A adds nothing to C's pattern (Tpetra's Serial behaviour)
};

/// A result whose pattern is known, on the host: its row pointers, its columns under numbers of its own, and
/// the column of the column block that each number stands for. Values are added.
template <class Types>
struct KnownPattern {
  const std::size_t* rowPtr;
  const typename Types::ordinal_type* columns;
  const typename Types::ordinal_type* blockColumnOf;  ///< [number]
  typename Types::scalar_type* values;

  /// If `rotates`, a row has its columns in [ownFirst, ownEnd) of the block first, then the others, both
  /// ascending.
  bool rotates = false;
  std::int64_t ownFirst = 0;
  std::int64_t ownEnd = 0;

  /// The columns of the block that are summed, those of a panel: a product's columns count from the first.
  std::int64_t firstColumn = 0;
  std::int64_t endColumn = std::numeric_limits<std::int64_t>::max();

  bool whole() const { return firstColumn == 0 && endColumn == std::numeric_limits<std::int64_t>::max(); }
};

/// A run of rows of the result whose sums over earlier rounds are known.
template <class Types>
struct BegunRows {
  std::int64_t first = 0;
  std::int64_t end = 0;
  CsrRows<Types> sums;  ///< of rows first to end; without rows if nothing is begun
};

namespace detail {
template <class Types>
class OutputRows;
template <class Types>
class SlottedRows;
}  // namespace detail

/// The local sparse product behind one interface, fused over the rounds of a batch, rows of the result
/// sorted. Sums are taken in round order and, in a round, in the order of A's row.
template <class Types>
class LocalProduct {
 public:
  LocalProduct() = default;
  LocalProduct(const LocalProduct&) = delete;
  LocalProduct& operator=(const LocalProduct&) = delete;
  virtual ~LocalProduct() = default;

  /// About so many multiplications from one call of `progress` to the next: a millisecond where rows of B are
  /// cache misses.
  static constexpr std::int64_t productsPerProgress = 1 << 17;

  /// `progress` is called now and then (the host product: every productsPerProgress). Adds the scalar
  /// multiplications done to `multiplications`.
  virtual CsrRows<Types> multiply(const LocalOperands<Types>& operands, const std::function<void()>& progress,
                                  std::int64_t& multiplications) = 0;

  /// Adds the product to a result whose pattern is known to hold it and whose values are zero. Only if
  /// fillsPatterns().
  virtual void multiplyInto(const KnownPattern<Types>&, const LocalOperands<Types>&,
                            const std::function<void()>&, std::int64_t&) {
    throw unable("fills no patterns");
  }
  virtual bool fillsPatterns() const { return false; }

  /// Whether sums can be left and taken up again: then the result has the same bits as if all its rounds had
  /// been multiplied at once.
  virtual bool continues() const { return false; }

  /// Appends to C the sums of `rows`, with the rounds of `operands` added; stops after the row with which
  /// `multiplications` has grown by `most`. Returns one past the last row appended. Only if continues().
  virtual std::int64_t appendRows(const LocalOperands<Types>&, const BegunRows<Types>&, std::int64_t /*most*/,
                                  detail::OutputRows<Types>&, std::int64_t& /*multiplications*/) {
    throw unable("continues no sums");
  }

  /// The same in a result whose pattern is known, whose values are the sums so far.
  virtual std::int64_t addRows(const LocalOperands<Types>&, const BegunRows<Types>&, std::int64_t /*most*/,
                               const KnownPattern<Types>&, std::int64_t& /*multiplications*/) {
    throw unable("continues no sums");
  }

  /// Appends the product, a panel that begins at column `first` of C, to C's rows; false as soon as a row
  /// does not fit, when the rows before it have their part. Only if fillsSlots().
  virtual bool multiplyIntoSlots(const LocalOperands<Types>&, typename Types::ordinal_type /*first*/,
                                 detail::SlottedRows<Types>&, const std::function<void()>& /*progress*/,
                                 std::int64_t& /*multiplications*/) {
    throw unable("fills no slots");
  }
  virtual bool fillsSlots() const { return false; }

  /// An upper bound, not far off, of the entries of the result.
  virtual std::int64_t entriesAtMost(const LocalOperands<Types>& operands) const {
    return operands.rows * operands.width;
  }

  /// "host" or "kokkoskernels".
  virtual const char* name() const = 0;

 private:
  std::logic_error unable(const char* what) const {
    return std::logic_error(std::string("Trident: the local product \"") + name() + "\" " + what);
  }
};

}  // namespace Trident

#endif
