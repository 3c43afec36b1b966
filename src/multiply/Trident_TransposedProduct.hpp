#ifndef TRIDENT_TRANSPOSED_PRODUCT_HPP
#define TRIDENT_TRANSPOSED_PRODUCT_HPP

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exchange/Trident_RowLists.hpp"
#include "local/Trident_TransposedRows.hpp"
#include "multiply/Trident_MapBack.hpp"
#include "multiply/Trident_Multiply.hpp"
#include "multiply/Trident_PartialRows.hpp"
#include "multiply/Trident_TileHolding.hpp"
#include "multiply/detail/Trident_Parts.hpp"
#include "topology/Trident_Memory.hpp"

namespace Trident {

/// C = A^T B of matrices whose rows lie alike in 1D: neither moves. Each rank multiplies what it holds, and
/// the partial rows of C that this gives are summed in their node, so that each row of C leaves a node once,
/// and then by C's owners. What Tpetra does with every rank a node of its own; grid N x 1 of the family.
///
/// It can be done again with other values; then only values travel. Host memory only. Collective over the
/// context's communicator, which carries nothing else meanwhile.
template <class Types>
class TransposedProduct {
 public:
  using Blocks = std::vector<BlockOfRows<Types>>;

  /// `spaces.rows` are A's columns and C's rows, `spaces.columns` B's and C's columns; the inner dimension is
  /// not numbered. `partners` are, for the grid N x 1, the rows of C among this rank's own to which each node
  /// has a part. `context` must outlive the product.
  TransposedProduct(Context& context, const Plan& plan, std::shared_ptr<const ProductSpaces> spaces,
                    NeededOfOwner partners)
      : context_(context),
        plan_(plan),
        spaces_(std::move(spaces)),
        partners_(std::move(partners)),
        channel_(context, {plan.maxMessageBytes, plan.delaySeed}, report_.ledger) {
    const auto most = static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()) - 1;
    detail::requireAtMost(spaces_->columns.size(), most, "columns of C");
  }
  TransposedProduct(const TransposedProduct&) = delete;
  TransposedProduct& operator=(const TransposedProduct&) = delete;

  /// This rank's rows of C in one block, in the ids of spaces.columns. A failure of the local product is left
  /// in failure(), for the caller to agree on together with what he does next.
  Blocks multiplyUnagreed(const LocalRows<Types>& A, const LocalRows<Types>& B) {
    parts_ = std::make_unique<PartialRows<Types>>(channel_, spaces_->rows, partners_, idsOf(A.columnIds));
    parts_->meet();
    const double begin = MPI_Wtime();
    computePartialRows(A, B);
    CsrRows<Types> partial = partial_;
    partial.columns = columnsById(partial_.columns);
    report_.secondsMultiply = MPI_Wtime() - begin;
    Blocks C = home(partial);
    const auto entries = static_cast<std::int64_t>(C[0].columns.extent(0));
    const auto columns = allocate<typename Types::Ordinals>("Trident::transposed::columns", entries);
    copyRun(C[0].columns, 0, columns, 0, entries);  // the caller may renumber his, these are kept
    C[0].columns = columns;
    return C;
  }

  /// The product of matrices of the same patterns, stored zeros of A included, and its errors.
  Blocks multiplyValuesUnagreed(const LocalRows<Types>& A, const LocalRows<Types>& B) {
    report_.ledger = Ledger();
    failure_.clear();
    const double begin = MPI_Wtime();
    recomputePartialRows(A, B);
    report_.secondsMultiply = MPI_Wtime() - begin;
    return home(partial_);
  }

  /// For tests: the rank whose local product throws from now on; -1: none.
  void injectFailureOn(int rank) { plan_.faults.failingRank = rank; }

  /// What failed on this rank; empty if nothing did.
  const std::string& failure() const { return failure_; }

  /// This rank's share of the tallies behind the predicted traffic; known after a product.
  RankTally tally() const {
    RankTally tally;
    tally.A.assign(static_cast<std::size_t>(plan_.grid.rounds()), 0);
    tally.B = {0};
    parts_->tally(tally);
    return tally;
  }

  /// Bytes on this rank that are kept between products.
  std::int64_t keptBytes() const {
    const auto entries = static_cast<std::int64_t>(partial_.columns.extent(0) + columnsOfB_.extent(0));
    return entries * static_cast<std::int64_t>(sizeof(Ordinal)) +
           (transposed_ ? transposed_->keptBytes() : 0) + (parts_ ? parts_->keptBytes() : 0) +
           static_cast<std::int64_t>(partial_.rowPtr.extent(0) * sizeof(std::size_t));
  }

  const Plan& plan() const { return plan_; }

  /// Of the last product.
  ProductReport& report() { return report_; }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

  static std::vector<std::int64_t> idsOf(const typename Types::Ids& ids) {
    return {ids.data(), ids.data() + ids.extent(0)};
  }

  // B under compact columns: the ids in use, ascending, so that the accumulator is no wider than need be.
  void compactColumns(const LocalRows<Types>& B) {
    usedIds_ = idsOf(B.columnIds);
    std::sort(usedIds_.begin(), usedIds_.end());
    usedIds_.erase(std::unique(usedIds_.begin(), usedIds_.end()), usedIds_.end());
    std::vector<Ordinal> compact;
    for (std::size_t c = 0; c < B.columnIds.extent(0); ++c)
      compact.push_back(static_cast<Ordinal>(
          std::lower_bound(usedIds_.begin(), usedIds_.end(), B.columnIds(c)) - usedIds_.begin()));
    const auto entries = static_cast<std::int64_t>(B.columns.extent(0));
    columnsOfB_ = allocate<typename Types::Ordinals>("Trident::transposed::columnsOfB", entries);
    for (std::int64_t e = 0; e < entries; ++e) columnsOfB_(e) = compact[B.columns(e)];
  }

  LocalOperands<Types> operands(const LocalRows<Types>& B) const {
    const CsrRows<Types>& A = transposed_->rows();
    GatheredTile<Types> tile;
    tile.rows = B.rows();
    tile.endsBatch = true;
    tile.rowPtr = B.rowPtr;
    tile.columns = columnsOfB_;
    tile.values = B.values;
    return {{{A.rowPtr, A.columns, A.values, 0}},
            tile,
            A.rows(),
            B.rows(),
            static_cast<std::int64_t>(usedIds_.size()),
            plan_.skipZerosOfA};
  }

  // A rank that fails sends empty rows, so that the others need not wait for it.
  void computePartialRows(const LocalRows<Types>& A, const LocalRows<Types>& B) {
    try {
      transposed_ = std::make_unique<TransposedRows<Types>>(A);
      compactColumns(B);
      const auto product = localProduct();
      partial_ = product->multiply(
          operands(B), [] {}, report_.multiplications);
      return;
    } catch (const std::exception& error) {
      failure_ = detail::failureOf("the local product", context_.rank()) + error.what();
    }
    partial_ = {typename Types::Offsets("Trident::transposed::nothing", A.columnIds.extent(0) + 1), {}, {}};
  }

  void recomputePartialRows(const LocalRows<Types>& A, const LocalRows<Types>& B) {
    partial_.values = typename Types::Values("Trident::transposed::partial", partial_.columns.extent(0));
    try {
      transposed_->fillValues(A);
      const auto product = localProduct();
      report_.multiplications = 0;
      if (!product->fillsPatterns()) {
        const CsrRows<Types> again = product->multiply(
            operands(B), [] {}, report_.multiplications);
        if (again.values.extent(0) != partial_.values.extent(0))
          throw std::logic_error("the product has another pattern than before");
        partial_.values = again.values;
        return;
      }
      std::vector<Ordinal> sameColumn(usedIds_.size());
      std::iota(sameColumn.begin(), sameColumn.end(), Ordinal(0));
      product->multiplyInto(
          {partial_.rowPtr.data(), partial_.columns.data(), sameColumn.data(), partial_.values.data()},
          operands(B), [] {}, report_.multiplications);
    } catch (const std::exception& error) {
      failure_ = detail::failureOf("the local product", context_.rank()) + error.what();
    }
  }

  std::unique_ptr<LocalProduct<Types>> localProduct() {
    auto product = detail::makeLocalProduct<Types>(plan_, context_.rank());
    report_.localProduct = product->name();
    return product;
  }

  typename Types::Ordinals columnsById(const typename Types::Ordinals& compact) const {
    const auto entries = static_cast<std::int64_t>(compact.extent(0));
    auto columns = allocate<typename Types::Ordinals>("Trident::transposed::columnIds", entries);
    for (std::int64_t e = 0; e < entries; ++e) columns(e) = static_cast<Ordinal>(usedIds_[compact(e)]);
    return columns;
  }

  Blocks home(const CsrRows<Types>& partial) {
    const Region region("Trident::sumPartialRows");
    const double begin = MPI_Wtime();
    const CsrRows<Types> rows = parts_->sumAtHome(partial);
    partial_.values = {};
    if (transposed_) transposed_->dropValues();
    report_.secondsMapBack = MPI_Wtime() - begin;
    report_.peakBytes = std::max(report_.peakBytes, ownResidentBytes());
    report_.engine = "partial rows";
    return {{0, spaces_->columns.size(), rows.rowPtr, rows.columns, rows.values}};
  }

  Context& context_;
  Plan plan_;
  std::shared_ptr<const ProductSpaces> spaces_;
  NeededOfOwner partners_;
  ProductReport report_;
  Channel channel_;
  std::unique_ptr<PartialRows<Types>> parts_;
  std::unique_ptr<TransposedRows<Types>> transposed_;
  std::vector<std::int64_t> usedIds_;
  typename Types::Ordinals columnsOfB_;
  CsrRows<Types> partial_;  // under compact columns
  std::string failure_;
};

}  // namespace Trident

#endif
