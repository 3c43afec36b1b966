#ifndef TRIDENT_ROUND_SUM_HPP
#define TRIDENT_ROUND_SUM_HPP

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "local/Trident_ContinuedRows.hpp"
#include "local/Trident_LocalProduct.hpp"
#include "local/Trident_PanelSums.hpp"
#include "local/detail/Trident_OutputRows.hpp"
#include "local/detail/Trident_RowAccumulator.hpp"
#include "observe/Trident_Trace.hpp"

namespace Trident {

/// The shape of a rank's C(i,j,k) and the rules of its product.
struct SliceShape {
  std::int64_t rows;
  std::vector<std::int64_t>
      panelStart;  ///< first column of each panel, counted in the column block, and the end
  bool skipZerosOfA = true;
  std::int64_t productsPerPiece = std::int64_t{1}
                                  << 18;  ///< of what is done while waiting: a millisecond or so
  bool onlyIfItPays = false;              ///< nothing is done while waiting once that turns out not to pay
};

/// C(i,j,k), the sum over the rounds. Products are put off until a batch of rounds is complete and are then
/// done in one fused pass, or in pieces while the rank would wait otherwise: workWhileWaiting(). The order of
/// summation is that of the rounds, so the result has the same bits whatever arrives when. (A local product
/// that cannot continue sums is done batch by batch, and its sums are merged at the end, in that order.)
///
/// Rounds come panel by panel; the sums of a panel are final, and the panels' columns stand side by side.
///
/// A failure of the local product does not throw here, where the other ranks could not know: the rounds go on
/// without products and failure() tells.
template <class Types>
class RoundSum {
 public:
  RoundSum(LocalProduct<Types>& product, const SliceShape& shape, std::function<void()> progress)
      : product_(product), shape_(shape), progress_(std::move(progress)), panels_(shape.panelStart) {}

  void accumulate(const TileSlice<Types>& A, const GatheredTile<Types>& B) {
    attempt([&] {
      const bool nothing = A.rowLengths.extent(0) == 0 && shape_.rows > 0;  // it comes with the last round
      if (!nothing)
        batch_.A.push_back(
            {rowPointers<Types>(A.rowLengths), A.columns, A.values, A.spansBatch ? 0 : B.firstRow});
      batch_.B = B;
      batch_.rows = shape_.rows;
      batch_.rowsOfB = B.firstRow + B.rows;
      batch_.width = panels_.end() - panels_.first();
      batch_.skipZerosOfA = shape_.skipZerosOfA;
      if (B.endsBatch) multiplyBatch(B.last);
    });
  }

  /// A piece of what accumulate() put off, a millisecond or so; false if there is nothing that could be done.
  bool workWhileWaiting() {
    if (continued_ && shape_.onlyIfItPays && !continued_->pays()) return false;
    if (!product_.continues() || !batch_.B.readable || batch_.A.empty()) return false;
    bool worked = false;
    attempt([&] {
      const double begin = Trace::on() ? Trace::now() : 0;
      worked = continued().work(batch_);
      if (worked && Trace::on()) Trace::span("multiply", begin, Trace::now());
    });
    return worked;
  }

  /// Sums into a result whose pattern is known, instead of sum(); before the first round. The product must
  /// fill patterns.
  void fillPattern(const KnownPattern<Types>& pattern) {
    pattern_ = pattern;
    narrowPattern();
  }

  bool fillsPattern() const { return pattern_.has_value(); }

  /// Makes this rank's sum fail with `text`.
  void fail(const std::string& text) { failure_ = text; }

  /// What went wrong on this rank; empty if nothing did.
  const std::string& failure() const { return failure_; }

  /// The sum, once all rounds are in; its rows may lie apart. Throws what allocation throws.
  CsrRows<Types> sum() { return panels_.sum(); }

  std::int64_t multiplications() const { return multiplications_; }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

  template <class Work>
  void attempt(const Work& work) {
    if (failure_.empty()) try {
        work();
      } catch (const std::exception& error) {
        failure_ = error.what();
      }
    if (!failure_.empty()) batch_.A.clear();
  }

  ContinuedRows<Types>& continued() {
    if (!continued_) continued_.emplace(product_, shape_.productsPerPiece, patternOrNull(), multiplications_);
    return *continued_;
  }

  const KnownPattern<Types>* patternOrNull() const { return pattern_ ? &*pattern_ : nullptr; }

  void multiplyBatch(bool endsPanel) {
    const TraceSpan span("multiply");
    severalBatches_ = severalBatches_ || !endsPanel;
    if (!endsPanel && product_.continues())
      continued().finishBatch(batch_, progress_);
    else if (!product_.continues())
      multiplyAlone();
    else if (pattern_ || continued_ || !panels_.multiply(product_, batch_, progress_, multiplications_))
      partial_.push_back(continued().finish(batch_, progress_));
    batch_.A.clear();
    batch_.B = {};
    batch_.rowsOfB = 0;
    if (endsPanel) endPanel();
  }

  // A batch of a product that does not continue sums.
  void multiplyAlone() {
    if (pattern_)
      product_.multiplyInto(*pattern_, batch_, progress_, multiplications_);
    else
      partial_.push_back(product_.multiply(batch_, progress_, multiplications_));
  }

  void endPanel() {
    if (pattern_) {
      panels_.skip();
      narrowPattern();
    } else if (!partial_.empty()) {
      panels_.add(partial_.size() == 1 ? std::move(partial_.front()) : merge(),
                  product_.fillsSlots() && !severalBatches_);
    }
    partial_.clear();
    continued_.reset();
  }

  // The pattern of the panel whose turn it is.
  void narrowPattern() {
    if (panels_.panels() == 1 || panels_.next() == panels_.panels()) return;
    pattern_->firstColumn = panels_.first();
    pattern_->endColumn = panels_.end();
  }

  // Sums of batches of the same columns.
  CsrRows<Types> merge() {
    if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                             typename Types::device_type::memory_space>::accessible)
      return mergeOnHost();
    else
      throw std::logic_error(
          "Trident: several batches are summed on host memory only; raise the gather's budget");
  }

  CsrRows<Types> mergeOnHost() {
    const TraceSpan span("sum");
    const std::int64_t width = panels_.end() - panels_.first();
    std::int64_t entries = 0;
    for (const auto& part : partial_) entries += static_cast<std::int64_t>(part.columns.extent(0));
    detail::RowAccumulator<Scalar, Ordinal> row(width);
    detail::OutputRows<Types> C(shape_.rows, entries);
    for (std::int64_t i = 0; i < shape_.rows; ++i) {
      std::int64_t added = 0;
      for (const auto& part : partial_) {
        for (std::size_t e = part.rowPtr(i); e < part.rowPtr(i + 1); ++e)
          row.add(part.columns(e), part.values(e));
        added += static_cast<std::int64_t>(part.rowPtr(i + 1) - part.rowPtr(i));
      }
      C.reserve(std::min(added, width));
      C.endRow(row.emit(C.columns(), C.values()));
    }
    return C.finish();
  }

  LocalProduct<Types>& product_;
  SliceShape shape_;
  std::function<void()> progress_;
  LocalOperands<Types> batch_{};  // the rounds of the open batch that are in
  std::optional<ContinuedRows<Types>> continued_;
  std::vector<CsrRows<Types>> partial_;  // sums of the panel's batches
  bool severalBatches_ = false;          // in a panel
  PanelSums<Types> panels_;
  std::optional<KnownPattern<Types>> pattern_;
  std::string failure_;
  std::int64_t multiplications_ = 0;
};

}  // namespace Trident

#endif
