#ifndef TRIDENT_ROUND_SUM_HPP
#define TRIDENT_ROUND_SUM_HPP

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "local/Trident_LocalProduct.hpp"
#include "local/detail/Trident_OutputRows.hpp"
#include "local/detail/Trident_RowAccumulator.hpp"

namespace Trident {

/// The shape of a rank's C(i,j,k) and the rules of its product.
struct SliceShape {
  std::int64_t rows;
  std::int64_t width;
  bool skipZerosOfA = true;
};

/// C(i,j,k), the sum over the rounds. Products are put off until a batch of rounds is complete and are then
/// done in one fused pass; the sums of several batches are merged once, at the end, never after each round.
/// The order of summation is that of the rounds and batches, so the result has the same bits whatever arrives
/// when.
///
/// A failure of the local product does not throw here, where the other ranks could not know: the rounds go on
/// without products and failure() tells.
template <class Types>
class RoundSum {
 public:
  RoundSum(LocalProduct<Types>& product, const SliceShape& shape, std::function<void()> progress)
      : product_(product), shape_(shape), progress_(std::move(progress)) {}

  void accumulate(const TileSlice<Types>& A, const GatheredTile<Types>& B) {
    if (failure_.empty()) try {
        const bool nothing =
            A.rowLengths.extent(0) == 0 && shape_.rows > 0;  // it comes with the last round of the batch
        if (!nothing)
          batch_.push_back(
              {rowPointers<Types>(A.rowLengths), A.columns, A.values, A.spansBatch ? 0 : B.firstRow});
        if (B.endsBatch) multiplyBatch(B);
      } catch (const std::exception& error) {
        failure_ = error.what();
      }
    if (!failure_.empty()) batch_.clear();
  }

  /// Sums into a result whose pattern is known, instead of sum(); before the first round. The product must
  /// fill patterns.
  void fillPattern(const KnownPattern<Types>& pattern) { pattern_ = &pattern; }

  bool fillsPattern() const { return pattern_ != nullptr; }

  /// Makes this rank's sum fail with `text`.
  void fail(const std::string& text) { failure_ = text; }

  /// What went wrong on this rank; empty if nothing did.
  const std::string& failure() const { return failure_; }

  /// The sum. Throws what allocation throws.
  CsrRows<Types> sum() {
    if (partial_.size() == 1) return std::move(partial_.front());
    if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                             typename Types::device_type::memory_space>::accessible)
      return mergeOnHost();
    else
      throw std::logic_error(
          "Trident: several batches are summed on host memory only; raise the gather's budget");
  }

  std::int64_t multiplications() const { return multiplications_; }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

  void multiplyBatch(const GatheredTile<Types>& B) {
    const LocalOperands<Types> operands{std::move(batch_),  B, shape_.rows, B.firstRow + B.rows, shape_.width,
                                        shape_.skipZerosOfA};
    if (pattern_ != nullptr)
      product_.multiplyInto(*pattern_, operands, progress_, multiplications_);
    else
      partial_.push_back(product_.multiply(operands, progress_, multiplications_));
    batch_.clear();
  }

  CsrRows<Types> mergeOnHost() {
    std::int64_t entries = 0;
    for (const auto& part : partial_) entries += static_cast<std::int64_t>(part.columns.extent(0));
    detail::RowAccumulator<Scalar, Ordinal> row(shape_.width);
    detail::OutputRows<Types> C(shape_.rows, entries);
    for (std::int64_t i = 0; i < shape_.rows; ++i) {
      std::int64_t added = 0;
      for (const auto& part : partial_) {
        for (std::size_t e = part.rowPtr(i); e < part.rowPtr(i + 1); ++e)
          row.add(part.columns(e), part.values(e));
        added += static_cast<std::int64_t>(part.rowPtr(i + 1) - part.rowPtr(i));
      }
      C.reserve(std::min(added, shape_.width));
      C.endRow(i, row.emit(C.columns(), C.values()));
    }
    return C.finish();
  }

  LocalProduct<Types>& product_;
  SliceShape shape_;
  std::function<void()> progress_;
  std::vector<RoundOperand<Types>> batch_;
  std::vector<CsrRows<Types>> partial_;
  const KnownPattern<Types>* pattern_ = nullptr;
  std::string failure_;
  std::int64_t multiplications_ = 0;
};

}  // namespace Trident

#endif
