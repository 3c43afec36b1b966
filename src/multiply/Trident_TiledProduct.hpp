#ifndef TRIDENT_TILED_PRODUCT_HPP
#define TRIDENT_TILED_PRODUCT_HPP

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "multiply/Trident_MapBack.hpp"
#include "multiply/Trident_Multiply.hpp"
#include "multiply/Trident_Prediction.hpp"
#include "multiply/Trident_TileHolding.hpp"
#include "multiply/detail/Trident_Parts.hpp"
#include "observe/Trident_FailingTogether.hpp"
#include "plan/Trident_Plan.hpp"
#include "topology/Trident_Memory.hpp"

namespace Trident {

/// One product of matrices in 1D rows: the rounds on what the plan says, C returned to its 1D rows. It can be
/// done again with other values; then only values travel.
///
/// Collective over the context's communicator, which carries nothing else meanwhile.
template <class Types>
class TiledProduct {
 public:
  using Blocks = std::vector<BlockOfRows<Types>>;

  /// `context` must outlive the product.
  TiledProduct(Context& context, const Plan& plan, std::shared_ptr<const ProductSpaces> spaces)
      : context_(context),
        plan_(plan),
        spacesHeld_(std::move(spaces)),
        spaces_(*spacesHeld_),
        channel_(context, {plan.maxMessageBytes, plan.delaySeed}, report_.ledger) {
    requireOrdinals();
  }
  TiledProduct(const TiledProduct&) = delete;
  TiledProduct& operator=(const TiledProduct&) = delete;

  /// Keeps what is needed to do the product again. Before multiply(). Host memory only; no effect elsewhere.
  void record() { records_ = detail::onHost<Types>; }

  /// This rank's rows of C in p_c column blocks, in the ids of spaces.columns. `owner`, which is for the
  /// plan's grid, is read under the filter "needed" from owners only. Throws std::runtime_error, the same on
  /// every rank, if any rank's local work failed.
  Blocks multiply(const LocalRows<Types>& A, const LocalRows<Types>& B, const NeededOfOwner& owner) {
    Blocks C = multiplyUnagreed(A, B, owner);
    agreeOrThrow(context_.comm(), failure_);
    for (auto& block : C) pushTogether(block);
    return C;
  }

  /// As multiply(), but a failure of the local product on a grid of one column is left in failure(), for the
  /// caller to agree on together with what he does next, and rows may lie apart.
  Blocks multiplyUnagreed(const LocalRows<Types>& A, const LocalRows<Types>& B, const NeededOfOwner& owner) {
    return mapBack(multiplyToSlice(A, B, &owner));
  }

  /// This rank's slice of C(i,j), rows by piece of spaces.rows, columns counted from the column block's
  /// first; nothing is mapped back. Operands may be tiles (LocalRows::ofTile), which stay where they are.
  /// `owner` is null where the owners of B's rows do not know who needs them; then, under the filter
  /// "needed", B's holders are asked. Errors as in multiplyUnagreed().
  CsrRows<Types> multiplyToTile(const LocalRows<Types>& A, const LocalRows<Types>& B,
                                const NeededOfOwner* owner) {
    CsrRows<Types> C = multiplyToSlice(A, B, owner);
    pushTogether(C);
    return C;
  }

  /// The rest of a product that multiplyToTile() began: this rank's rows of C. Collective.
  Blocks mapBack(CsrRows<Types> C) {
    const Region region("Trident::mapBack");
    const TraceSpan span("map back");
    const double begin = MPI_Wtime();
    MapBack<Types> mapping(channel_, plan_.grid, spaces_.rows);
    if (plan_.grid.cols > 1) {
      onAllRanksOrNone("counting rows of C", [&] {
        pushTogether(C);
        mapping.count(C);
      });
      mapping.exchangeLengths();
      onAllRanksOrNone("allocating rows of C", [&] { mapping.layOut(C, spaces_.columns); });
    } else {
      mapping.layOut(C, spaces_.columns);  // C is at home
    }
    Blocks rowsOfC = mapping.exchangeRows(C);
    report_.peakBytes = std::max(report_.peakBytes, ownResidentBytes());
    report_.secondsMapBack = MPI_Wtime() - begin;
    return rowsOfC;
  }

  /// The product of matrices that have the same patterns as those of a recorded multiplyUnagreed(), stored
  /// zeros of A included, and its errors.
  Blocks multiplyValuesUnagreed(const LocalRows<Types>& A, const LocalRows<Types>& B) {
    OwnTiles<Types> tiles = replay(A, B);
    Blocks C = mapBack(multiplyTiles(A, tiles));
    for (auto& block : C) pushTogether(block);
    return C;
  }

  /// The same into a pattern that is known to hold this rank's rows of C: possible if fillsPatterns().
  void multiplyIntoUnagreed(const KnownPattern<Types>& C, const LocalRows<Types>& A,
                            const LocalRows<Types>& B) {
    OwnTiles<Types> tiles = replay(A, B);
    multiplyTiles(A, tiles, &C);
  }

  /// For tests: the rank whose local product throws from now on; -1: none.
  void injectFailureOn(int rank) { plan_.faults.failingRank = rank; }

  bool fillsPatterns() const {
    return plan_.grid.cols == 1 && detail::makeLocalProduct<Types>(plan_, context_.rank())->fillsPatterns();
  }

  /// What failed on this rank; empty if nothing did.
  const std::string& failure() const { return failure_; }

  /// This rank's share of the tallies behind the predicted traffic, C's left out; known after multiply().
  RankTally tally() const { return tally_; }

  const Plan& plan() const { return plan_; }

  /// Of the last product.
  ProductReport& report() { return report_; }

 private:
  using Ordinal = typename Types::ordinal_type;

  // multiplyToTile(), but the rows may lie apart.
  CsrRows<Types> multiplyToSlice(const LocalRows<Types>& A, const LocalRows<Types>& B,
                                 const NeededOfOwner* owner) {
    holding_ = {A.ofTile ? TileSource::tiles : plan_.source, B.ofTile ? TileSource::tiles : plan_.source};
    if (plan_.filter == TileFilter::needed) findNeededRows(A);
    recordFromHere();
    OwnTiles<Types> tiles = holdTiles(A, B);
    meet(tiles, owner);
    return multiplyTiles(A, tiles);
  }

  // Columns and rows inside a block are counted in local ordinals.
  void requireOrdinals() const {
    const auto most = static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()) - 1;
    for (int j = 0; j < plan_.grid.cols; ++j)
      detail::requireAtMost(spaces_.columns.columnBlockStart(j + 1) - spaces_.columns.columnBlockStart(j),
                            most, "columns in a column block");
    for (int block = 0; block < plan_.grid.rounds(); ++block)
      detail::requireAtMost(spaces_.inner.blockStart(block + 1) - spaces_.inner.blockStart(block), most,
                            "rows of B in a base block");
  }

  void findNeededRows(const LocalRows<Types>& A) {
    const auto ids = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.columnIds);
    std::vector<std::int64_t> used(ids.data(), ids.data() + ids.extent(0));
    if (A.ofTile) used = detail::usedIds<Types>(A, used);  // a tile's columns are all of its column block
    needed_ = std::make_unique<NeededRows>(channel_, plan_.grid, spaces_.inner, used);
  }

  OwnTiles<Types> holdTiles(const LocalRows<Types>& A, const LocalRows<Types>& B) {
    const Region region("Trident::convert");
    const TraceSpan span("convert");
    const double begin = MPI_Wtime();
    OwnTiles<Types> tiles = holding().hold(A, B, tally_);
    report_.secondsConvert = MPI_Wtime() - begin;
    return tiles;
  }

  TileHolding<Types> holding() { return {channel_, plan_, spaces_, needed_.get()}; }

  // What the ranks know of each other's rows before the rounds.
  struct Meeting {
    FetchSchedule schedule;
    FetchLists fetches;
    RowLengths<Types> lengths;
    std::unique_ptr<GatherLayout> layout;
  };

  void meet(OwnTiles<Types>& tiles, const NeededOfOwner* owner) {
    const TraceSpan span("meet");
    const double begin = MPI_Wtime();
    const FetchSchedule schedule(context_.topology(), plan_.grid, spaces_.rows, spaces_.inner, holding_);
    const int rank = context_.rank();
    meeting_ = std::make_unique<Meeting>(Meeting{schedule,
                                                 {schedule.receivesOfA(rank), schedule.receivesOfB(rank),
                                                  schedule.sendsOfA(rank), schedule.sendsOfB(rank)},
                                                 {},
                                                 nullptr});
    channel_.setMode(Channel::Mode::plain, recording_);  // the lists are kept as they are
    lists_ = listRows(owner, meeting_->fetches);
    meeting_->fetches.cutIntoPanels(plan_.panelsOrOne(), plan_.grid.rounds());
    recordFromHere();
    tiles.lists = lists_.get();
    meeting_->lengths = LengthExchange<Types>(channel_, plan_.grid, tiles).exchange(meeting_->fetches);
    tallyNeeded(meeting_->fetches);
    report_.secondsMeet = MPI_Wtime() - begin;
  }

  OwnTiles<Types> replay(const LocalRows<Types>& A, const LocalRows<Types>& B) {
    report_.ledger = Ledger();
    failure_.clear();
    channel_.setMode(Channel::Mode::replay, recording_);
    OwnTiles<Types> tiles = holdTiles(A, B);
    tiles.lists = lists_.get();
    meeting_->lengths = LengthExchange<Types>(channel_, plan_.grid, tiles).exchange(meeting_->fetches);
    return tiles;
  }

  CsrRows<Types> multiplyTiles(const LocalRows<Types>& A, OwnTiles<Types>& tiles,
                               const KnownPattern<Types>* pattern = nullptr) {
    const Region region("Trident::multiply");
    const double begin = MPI_Wtime();
    const FetchLists& fetches = meeting_->fetches;
    const auto own = ownPartsOfB(context_, plan_.grid, meeting_->schedule, tiles, needed_.get());
    if (!meeting_->layout) layOut(own);
    GatherLayout& layout = *meeting_->layout;
    const auto product = detail::makeLocalProduct<Types>(plan_, context_.rank());
    // A is cut by rounds however many panels there are: the order of summation must not depend on them.
    const bool byRounds = plan_.overlap != Overlap::off && plan_.grid.rounds() > 1 && product->continues();
    const bool overlaps = byRounds && plan_.panelsOrOne() == 1;
    Waiting waiting;
    const auto gather = detail::makeGather<Types>(
        plan_, layout, {channel_, waiting, {meeting_->lengths.receivesB, own}, overlaps}, report_.gather);
    const auto exchange =
        detail::makeExchange<Types>({channel_, waiting, *gather}, plan_, {tiles, fetches, meeting_->lengths});
    RoundSum<Types> C_ijk(*product, shapeOfSlice(A), [&exchange] { exchange->progress(); });
    if (overlaps && plan_.engine != EngineKind::bulkSynchronous)
      waiting.workOn([&C_ijk] { return C_ijk.workWhileWaiting(); });
    if (pattern != nullptr) C_ijk.fillPattern(*pattern);
    if (plan_.grid.cols == 1) placeAtHomeOrFail(A, layout, tiles, byRounds, C_ijk);

    failingNever(context_.comm(), [&] { multiplyRounds(plan_.rounds(), *exchange, *gather, C_ijk); });

    if (!exchange->failure().empty()) C_ijk.fail(exchange->failure());
    CsrRows<Types> C = sum(C_ijk);
    report_.gatheredBytes = SharedWindowGather<Types>::windowBytes(layout);
    report_.peakBytes = std::max(report_.peakBytes, ownResidentBytes());
    report_.batches = gather->batches();
    report_.engine = exchange->name();
    report_.localProduct = product->name();
    report_.multiplications = C_ijk.multiplications();
    report_.secondsMultiply = MPI_Wtime() - begin;
    return C;
  }

  void layOut(const std::vector<PackedRows<Types>>& own) {
    std::vector<std::int64_t> ownEntries;
    for (const auto& part : own) ownEntries.push_back(part.entries());
    meeting_->layout = std::make_unique<GatherLayout>(context_, plan_.grid, meeting_->schedule,
                                                      meeting_->fetches.receivesB, ownEntries, needed_.get());
  }

  void recordFromHere() {
    if (records_) channel_.setMode(Channel::Mode::record, recording_);
  }

  void placeAtHomeOrFail(const LocalRows<Types>& A, const GatherLayout& layout, OwnTiles<Types>& tiles,
                         bool byRounds, RoundSum<Types>& C_ijk) {
    const TraceSpan span("convert");
    try {
      tiles.A = holding().placeAtHome(A, layout, byRounds);
    } catch (const std::exception& error) {
      tiles.A.assign(static_cast<std::size_t>(plan_.grid.rounds()), {});
      C_ijk.fail(error.what());
    }
  }

  std::unique_ptr<RowLists<Types>> listRows(const NeededOfOwner* owner, FetchLists& fetches) {
    if (!needed_) return nullptr;
    if (owner == nullptr || holding_.B == TileSource::tiles)
      return std::make_unique<RowLists<Types>>(channel_, *needed_, fetches);
    return std::make_unique<RowLists<Types>>(plan_.grid, context_.topology(), *owner, *needed_, fetches);
  }

  void tallyNeeded(const FetchLists& fetches) {
    if (!needed_) return;
    tally_.neededRows.assign(static_cast<std::size_t>(context_.topology().nodes()), 0);
    tally_.neededEntries = tally_.neededRows;
    for (const Fetch& fetch : fetches.sendsB) {
      tally_.neededRows[context_.topology().nodeOf(fetch.to)] += fetch.rows;
      tally_.neededEntries[context_.topology().nodeOf(fetch.to)] += fetch.entries;
    }
  }

  SliceShape shapeOfSlice(const LocalRows<Types>& A) const {
    const int node = context_.node();
    const int j = plan_.grid.col(node);
    std::int64_t rows = A.rows();
    if (plan_.grid.cols > 1) {
      rows = 0;
      const auto pieces =
          spaces_.rows.slicePieces(plan_.grid.row(node), context_.topology().ranksOn(node), context_.slice());
      for (const int piece : pieces) rows += spaces_.rows.pieces()[piece].count;
    }
    return {rows, panelStarts(spaces_.columns, j, plan_.panelsOrOne()), plan_.skipZerosOfA,
            plan_.productsPerPiece, plan_.overlap == Overlap::automatic};
  }

  // A rank whose product failed has kept the rounds going. Before C is returned to its rows all ranks learn
  // of it; if C is at home, that is left to the caller.
  CsrRows<Types> sum(RoundSum<Types>& C_ijk) {
    CsrRows<Types> C;
    try {
      if (!C_ijk.failure().empty()) throw std::runtime_error(C_ijk.failure());
      if (!C_ijk.fillsPattern()) C = C_ijk.sum();
    } catch (const std::exception& error) {
      failure_ = detail::failureOf("the local product", context_.rank()) + error.what();
    }
    if (plan_.grid.cols > 1) agreeOrThrow(context_.comm(), failure_);
    return C;
  }

  // What this rank does alone: if it fails on one rank, it throws on all.
  template <class Work>
  void onAllRanksOrNone(const char* what, const Work& work) const {
    Trident::onAllRanksOrNone(context_.comm(), detail::failureOf(what, context_.rank()), work);
  }

  Context& context_;
  Plan plan_;
  std::shared_ptr<const ProductSpaces> spacesHeld_;
  const ProductSpaces& spaces_;
  ProductReport report_;
  Channel channel_;
  Holding holding_;
  Recording recording_;
  bool records_ = false;
  std::unique_ptr<NeededRows> needed_;
  std::unique_ptr<RowLists<Types>> lists_;
  std::unique_ptr<Meeting> meeting_;
  std::string failure_;
  RankTally tally_;
};

}  // namespace Trident

#endif
