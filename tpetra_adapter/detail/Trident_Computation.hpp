#ifndef TRIDENT_COMPUTATION_HPP
#define TRIDENT_COMPUTATION_HPP

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detail/Trident_Factors.hpp"
#include "detail/Trident_Finish.hpp"
#include "detail/Trident_ProductFrame.hpp"
#include "multiply/Trident_Prediction.hpp"
#include "multiply/Trident_TiledProduct.hpp"
#include "multiply/Trident_TransposedProduct.hpp"

namespace Trident {
namespace detail {

/// What one product of the engine moved, for its prediction.
struct TalliedProduct {
  Plan plan;
  RankTally tally;
};

/// How this rank's rows of C come about: one product of the engine or several, which can be done again with
/// other values. Nothing here touches C. Collective over the context's communicator.
template <class Types>
class Computation {
 public:
  using Tiles = typename Types::tile_types;
  using Blocks = std::vector<BlockOfRows<Tiles>>;

  Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  virtual ~Computation() = default;

  /// This rank's rows of C, which may lie apart. What fails on this rank alone is left in failure().
  virtual Blocks multiply(const Factors<Types>& factors) = 0;

  /// The same of factors with the same patterns, by values only.
  virtual Blocks multiplyValues(const Factors<Types>& factors) = 0;

  /// The same into a pattern that is known to hold this rank's rows of C: possible if fillsPatterns().
  virtual void multiplyInto(const KnownPattern<Tiles>&, const Factors<Types>&) {}
  virtual bool fillsPatterns() const { return false; }

  virtual const std::string& failure() const = 0;
  virtual ProductReport& report() = 0;
  virtual std::vector<TalliedProduct> tallies() const = 0;

  /// Bytes on this rank, about, that are kept between products.
  virtual std::int64_t keptBytes() const = 0;

  /// For tests: the rank whose local product throws from now on; -1: none.
  virtual void injectFailureOn(int rank) = 0;
};

/// Bytes of what a first product received beside values, which a recording keeps.
inline std::int64_t recordedBytes(const Ledger& ledger) {
  std::int64_t bytes = 0;
  for (int phase = 0; phase < phaseCount; ++phase)
    for (const Link link : {Link::Gi, Link::Li})
      for (const Kind kind : {Kind::request, Kind::pointers, Kind::indices})
        bytes += ledger.bytesReceived(static_cast<Phase>(phase), link, kind);
  return bytes;
}

/// Whether A's rows are those of a Jacobi step, and then leave out stored zeros.
struct JacobiRows {
  bool wanted = false;
  bool skipZeros = true;
};

/// A product of two by the rounds of its plan.
template <class Types>
class RowProduct : public Computation<Types> {
 public:
  using Tiles = typename Types::tile_types;
  using Blocks = std::vector<BlockOfRows<Tiles>>;

  /// `frame` is arranged for the plan, `needed` of its grid.
  RowProduct(Context& context, const Plan& plan, const ProductFrame<Types>& frame, NeededOfOwner needed,
             const JacobiRows& jacobi)
      : product_(context, plan, frame.sharedSpaces()),
        needed_(std::move(needed)),
        jacobi_(jacobi),
        idsOfA_(frame.idsOfA()),
        idsOfB_(frame.idsOfB()) {
    if (jacobi.wanted) JacobiStep<Types>::appendOwnRows(frame.spaces().inner, context.rank(), idsOfA_);
    product_.report() = reportOf(context, plan);
  }

  /// Keeps what is needed to do it again. Before multiply().
  void record() { product_.record(); }

  Blocks multiply(const Factors<Types>& factors) override {
    Blocks blocks = product_.multiplyUnagreed(rowsOfA(factors), rowsOfB(factors), needed_);
    needed_ = {};
    entriesOfC_.clear();
    for (const auto& block : blocks) entriesOfC_.push_back(block.entries());
    keptBytes_ = recordedBytes(product_.report().ledger) +
                 static_cast<std::int64_t>((idsOfA_.size() + idsOfB_.size()) * sizeof(std::int64_t));
    return blocks;
  }
  Blocks multiplyValues(const Factors<Types>& factors) override {
    return product_.multiplyValuesUnagreed(rowsOfA(factors), rowsOfB(factors));
  }
  void multiplyInto(const KnownPattern<Tiles>& C, const Factors<Types>& factors) override {
    product_.multiplyIntoUnagreed(C, rowsOfA(factors), rowsOfB(factors));
  }
  bool fillsPatterns() const override { return product_.fillsPatterns(); }

  const std::string& failure() const override { return product_.failure(); }
  ProductReport& report() override { return product_.report(); }
  void injectFailureOn(int rank) override { product_.injectFailureOn(rank); }
  std::int64_t keptBytes() const override { return keptBytes_; }

  std::vector<TalliedProduct> tallies() const override {
    TalliedProduct tallied{product_.plan(), product_.tally()};
    tallied.tally.C = entriesOfC_;
    return {tallied};
  }

  /// Before multiply(), which uses it up.
  const NeededOfOwner& needed() const { return needed_; }

  LocalRows<Tiles> rowsOfA(const Factors<Types>& factors) const {
    return factors.jacobi.wanted() ? factors.jacobi.rows(*factors.A, idsOfA_, jacobi_.skipZeros)
                                   : localRows<Types>(*factors.A, idsOfA_);
  }
  LocalRows<Tiles> rowsOfB(const Factors<Types>& factors) const {
    return localRows<Types>(*factors.B, idsOfB_);
  }

 private:
  TiledProduct<Tiles> product_;
  NeededOfOwner needed_;
  JacobiRows jacobi_;
  std::vector<std::int64_t> idsOfA_;
  std::vector<std::int64_t> idsOfB_;
  std::vector<std::int64_t> entriesOfC_;
  std::int64_t keptBytes_ = 0;
};

/// A^T * B by partial rows of C.
template <class Types>
class PartialRowProduct : public Computation<Types> {
 public:
  using Tiles = typename Types::tile_types;
  using Blocks = std::vector<BlockOfRows<Tiles>>;

  /// `frame` numbers A's columns, by their owners, as its inner dimension.
  PartialRowProduct(Context& context, const Plan& plan, const ProductFrame<Types>& frame,
                    NeededOfOwner partners)
      : product_(context, plan, spacesOf(frame), std::move(partners)),
        idsOfA_(frame.idsOfA()),
        idsOfB_(frame.idsOfB()) {
    product_.report() = reportOf(context, plan);
  }

  /// The same spaces with A's columns as C's rows.
  static std::shared_ptr<const ProductSpaces> spacesOf(const ProductFrame<Types>& frame) {
    const ProductSpaces& spaces = frame.spaces();
    return std::make_shared<const ProductSpaces>(ProductSpaces{spaces.inner, spaces.inner, spaces.columns});
  }

  Blocks multiply(const Factors<Types>& factors) override {
    return product_.multiplyUnagreed(localRows<Types>(*factors.A, idsOfA_),
                                     localRows<Types>(*factors.B, idsOfB_));
  }
  Blocks multiplyValues(const Factors<Types>& factors) override {
    return product_.multiplyValuesUnagreed(localRows<Types>(*factors.A, idsOfA_),
                                           localRows<Types>(*factors.B, idsOfB_));
  }

  const std::string& failure() const override { return product_.failure(); }
  ProductReport& report() override { return product_.report(); }
  void injectFailureOn(int rank) override { product_.injectFailureOn(rank); }
  std::int64_t keptBytes() const override { return product_.keptBytes(); }
  std::vector<TalliedProduct> tallies() const override { return {{product_.plan(), product_.tally()}}; }

 private:
  TransposedProduct<Tiles> product_;
  std::vector<std::int64_t> idsOfA_;
  std::vector<std::int64_t> idsOfB_;
};

}  // namespace detail
}  // namespace Trident

#endif
