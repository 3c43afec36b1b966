#ifndef TRIDENT_TRIPLE_PRODUCT_HPP
#define TRIDENT_TRIPLE_PRODUCT_HPP

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detail/Trident_ColumnNumbering.hpp"
#include "detail/Trident_Computation.hpp"

namespace Trident {
namespace detail {

/// The report of two products done one after the other: the second's, with the first's figures added.
inline ProductReport joinedReport(const ProductReport& first, ProductReport both) {
  both.ledger.add(first.ledger);
  both.batches += first.batches;
  both.secondsPrepare += first.secondsPrepare;
  both.secondsConvert += first.secondsConvert;
  both.secondsMeet += first.secondsMeet;
  both.secondsMultiply += first.secondsMultiply;
  both.secondsMapBack += first.secondsMapBack;
  both.gatheredBytes = std::max(both.gatheredBytes, first.gatheredBytes);
  both.peakBytes = std::max(both.peakBytes, first.peakBytes);
  both.multiplications += first.multiplications;
  return both;
}

/// R * (A * B), or R^T * (A * B) by partial rows, on one column of nodes: A*B stays where it was computed, in
/// this rank's rows, and never becomes a matrix of its own; only C goes home.
template <class Types>
class TripleProduct : public Computation<Types> {
 public:
  using Tiles = typename Types::tile_types;
  using Blocks = std::vector<BlockOfRows<Tiles>>;
  using Ordinal = typename Tiles::ordinal_type;

  /// What R is found by: its column ids in the dimension that A*B's rows span (or, of a transposed R, in that
  /// of C's rows), the spaces of the second product, and the rows that other nodes need of this rank's.
  struct Left {
    Plan plan;
    std::shared_ptr<const ProductSpaces> spaces;
    std::vector<std::int64_t> ids;
    NeededOfOwner needed;
  };

  TripleProduct(Context& context, std::unique_ptr<RowProduct<Types>> inner, Left left)
      : context_(context), inner_(std::move(inner)), left_(std::move(left)) {
    if (left_.plan.partialRows) {
      partial_ = std::make_unique<TransposedProduct<Tiles>>(context, left_.plan, left_.spaces,
                                                            std::move(left_.needed));
      partial_->report() = reportOf(context, left_.plan);
    } else {
      rows_ = std::make_unique<TiledProduct<Tiles>>(context, left_.plan, left_.spaces);
      rows_->report() = reportOf(context, left_.plan);
    }
  }

  /// Keeps what is needed to do it again. Before multiply().
  void record() {
    inner_->record();
    if (rows_) rows_->record();
  }

  Blocks multiply(const Factors<Types>& factors) override {
    Blocks AB = inner_->multiply(factors);
    for (auto& block : AB) pushTogether(block);
    numberColumns(AB, *factors.A);
    const auto R = localRows<Types>(*factors.R, left_.ids);
    Blocks C =
        rows_ ? rows_->multiplyUnagreed(R, middle_, left_.needed) : partial_->multiplyUnagreed(R, middle_);
    left_.needed = {};
    entriesOfC_ = static_cast<std::int64_t>(C.empty() ? 0 : C[0].entries());
    middle_.values = {};
    report_ = joined();
    return C;
  }

  Blocks multiplyValues(const Factors<Types>& factors) override {
    const auto R = localRows<Types>(*factors.R, left_.ids);
    middle_.values = valuesOfMiddle(factors);
    Blocks C =
        rows_ ? rows_->multiplyValuesUnagreed(R, middle_) : partial_->multiplyValuesUnagreed(R, middle_);
    middle_.values = {};
    report_ = joined();
    return C;
  }

  void multiplyInto(const KnownPattern<Tiles>& C, const Factors<Types>& factors) override {
    const auto R = localRows<Types>(*factors.R, left_.ids);
    middle_.values = valuesOfMiddle(factors);
    rows_->multiplyIntoUnagreed(C, R, middle_);
    middle_.values = {};
    report_ = joined();
  }
  bool fillsPatterns() const override { return rows_ && rows_->fillsPatterns(); }

  const std::string& failure() const override {
    if (!inner_->failure().empty()) return inner_->failure();
    return rows_ ? rows_->failure() : partial_->failure();
  }
  ProductReport& report() override { return report_; }

  void injectFailureOn(int rank) override {
    inner_->injectFailureOn(rank);
    if (rows_) rows_->injectFailureOn(rank);
    if (partial_) partial_->injectFailureOn(rank);
  }

  std::int64_t keptBytes() const override {
    const auto middle = static_cast<std::int64_t>(middle_.columns.extent(0) * sizeof(Ordinal) +
                                                  middle_.rowPtr.extent(0) * sizeof(std::size_t));
    const std::int64_t left = rows_ ? recordedBytes(rows_->report().ledger) : partial_->keptBytes();
    return inner_->keptBytes() + middle + left;
  }

  std::vector<TalliedProduct> tallies() const override {
    std::vector<TalliedProduct> all = inner_->tallies();
    all.push_back(rows_ ? TalliedProduct{rows_->plan(), rows_->tally()}
                        : TalliedProduct{partial_->plan(), partial_->tally()});
    if (rows_) all.back().tally.C = {entriesOfC_};
    return all;
  }

 private:
  // A*B's columns under numbers of this rank's own, as a matrix has them. A rank whose product failed has
  // empty rows.
  void numberColumns(const Blocks& AB, const typename Types::matrix_type& A) {
    const IndexSpace& columns = left_.spaces->columns;
    const int rank = context_.rank();
    std::int64_t own = 0;
    for (const int piece : columns.piecesOf(rank)) own += columns.pieces()[piece].count;
    ColumnNumbering numbering(columns.size(), columns.pieces()[columns.piecesOf(rank).front()].start, own);
    const BlockOfRows<Tiles>& block = AB.front();
    useColumns(block, numbering);
    std::vector<std::int64_t> ids;
    for (std::int64_t id = numbering.ownFirst(); id < numbering.ownEnd(); ++id) ids.push_back(id);
    for (const std::int64_t id : numbering.number()) ids.push_back(id);
    std::transform(block.columns.data(), block.columns.data() + block.columns.extent(0), block.columns.data(),
                   BlockNumbers<Tiles>(block, numbering));

    middle_.rowPtr = block.rowPtr;
    if (block.rowPtr.extent(0) == 0)
      middle_.rowPtr = typename Tiles::Offsets("Trident::middle::rowPtr",
                                               static_cast<std::size_t>(localSize(*A.getRowMap())) + 1);
    middle_.columns = block.columns;
    middle_.values = block.values;
    middle_.columnIds =
        allocate<typename Tiles::Ids>("Trident::middle::columnIds", static_cast<std::int64_t>(ids.size()));
    std::copy(ids.begin(), ids.end(), middle_.columnIds.data());
    columnOf_.assign(ids.begin(), ids.end());
  }

  // A*B again. A rank that fails goes on with what it has: the others wait for its rows.
  typename Tiles::Values valuesOfMiddle(const Factors<Types>& factors) {
    const typename Tiles::Values values("Trident::middle::values", middle_.columns.extent(0));
    if (inner_->fillsPatterns()) {
      inner_->multiplyInto({middle_.rowPtr.data(), middle_.columns.data(), columnOf_.data(), values.data()},
                           factors);
      return values;
    }
    const Blocks AB = inner_->multiplyValues(factors);
    return inner_->failure().empty() ? AB.front().values : values;
  }

  ProductReport joined() {
    ProductReport both = joinedReport(inner_->report(), rows_ ? rows_->report() : partial_->report());
    both.gather = inner_->report().gather;
    both.localProduct = inner_->report().localProduct;
    return both;
  }

  Context& context_;
  std::unique_ptr<RowProduct<Types>> inner_;
  Left left_;
  std::unique_ptr<TiledProduct<Tiles>> rows_;          // of R
  std::unique_ptr<TransposedProduct<Tiles>> partial_;  // of R^T
  LocalRows<Tiles> middle_;                            // A*B; without values between products
  std::vector<Ordinal> columnOf_;                      // C's column of each of its local columns
  std::int64_t entriesOfC_ = 0;
  ProductReport report_;
};

}  // namespace detail
}  // namespace Trident

#endif
