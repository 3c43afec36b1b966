#ifndef TRIDENT_TILED_PRODUCT_HPP
#define TRIDENT_TILED_PRODUCT_HPP

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "exchange/Trident_ScheduledExchange.hpp"
#include "multiply/Trident_Convert.hpp"
#include "multiply/Trident_MapBack.hpp"
#include "multiply/Trident_Multiply.hpp"
#include "multiply/Trident_Prediction.hpp"
#include "multiply/detail/Trident_Parts.hpp"
#include "plan/Trident_Plan.hpp"

namespace Trident {

/// The three dimensions of a product, each with the owners of its indices.
struct ProductSpaces {
  IndexSpace rows;     ///< of A and C, BlockOrder::bySlice
  IndexSpace inner;    ///< A's columns, B's rows, BlockOrder::bySlice from tiles, byRank from owners
  IndexSpace columns;  ///< of B and C, BlockOrder::byRank
};

/// One product of matrices in 1D rows: the rounds on what the plan says, C returned to its 1D rows.
///
/// Collective over the context's communicator, which carries nothing else meanwhile.
template <class Types>
class TiledProduct {
 public:
  using Blocks = std::vector<BlockOfRows<Types>>;

  /// All references must outlive the product; `report` is filled in as it goes.
  TiledProduct(Context& context, const Plan& plan, const ProductSpaces& spaces, ProductReport& report)
      : context_(context),
        plan_(plan),
        spaces_(spaces),
        report_(report),
        channel_(context, {plan.maxMessageBytes, plan.delaySeed}, report.ledger) {
    requireOrdinals();
  }

  /// This rank's rows of C in p_c column blocks, in the ids of spaces.columns. `owner`, which is for the
  /// plan's grid, is read under the filter "needed" from owners only. Throws std::runtime_error, the same on
  /// every rank, if any rank's local work failed.
  Blocks multiply(const LocalRows<Types>& A, const LocalRows<Types>& B, const NeededOfOwner& owner) {
    Blocks C = multiplyUnagreed(A, B, owner);
    agreeOrThrow(context_.comm(), failure_);
    return C;
  }

  /// As multiply(), but a failure of the local product on a grid of one column is left in failure(), for the
  /// caller to agree on together with what he does next.
  Blocks multiplyUnagreed(const LocalRows<Types>& A, const LocalRows<Types>& B, const NeededOfOwner& owner) {
    if (plan_.filter == TileFilter::needed) findNeededRows(A);
    OwnTiles<Types> tiles = holdTiles(A, B);
    const CsrRows<Types> C = multiplyTiles(A, tiles, owner);
    return mapBack(C);
  }

  /// What failed on this rank; empty if nothing did.
  const std::string& failure() const { return failure_; }

  /// This rank's share of the tallies behind the predicted traffic, C's left out; known after multiply().
  RankTally tally() const { return tally_; }

 private:
  using Ordinal = typename Types::ordinal_type;

  // Columns and rows inside a block are counted in local ordinals.
  void requireOrdinals() const {
    const auto most = static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()) - 1;
    for (int j = 0; j < plan_.grid.cols; ++j)
      requireAtMost(spaces_.columns.columnBlockStart(j + 1) - spaces_.columns.columnBlockStart(j), most,
                    "columns in a column block");
    for (int block = 0; block < plan_.grid.rounds(); ++block)
      requireAtMost(spaces_.inner.blockStart(block + 1) - spaces_.inner.blockStart(block), most,
                    "rows of B in a base block");
  }

  static void requireAtMost(std::int64_t found, std::int64_t most, const char* what) {
    if (found > most)
      throw std::runtime_error("Trident: " + std::to_string(found) + ' ' + what + ", at most " +
                               std::to_string(most) +
                               " fit a local ordinal; use more nodes or another grid (\"trident: grid\")");
  }

  void findNeededRows(const LocalRows<Types>& A) {
    const auto ids = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.columnIds);
    needed_ = std::make_unique<NeededRows>(channel_, plan_.grid, spaces_.inner,
                                           std::vector<std::int64_t>(ids.data(), ids.data() + ids.extent(0)));
  }

  // A on a grid of one column is at home: it is placed when the batches of B are known.
  OwnTiles<Types> holdTiles(const LocalRows<Types>& A, const LocalRows<Types>& B) {
    const Region region("Trident::convert");
    const double begin = MPI_Wtime();
    OwnTiles<Types> tiles;
    const ColumnCut cutA = cutByBaseBlock(plan_.grid, spaces_.inner);
    const ColumnCut cutB = cutByColumnBlock(plan_.grid, spaces_.columns);
    Converter<Types> holdA(channel_, plan_.grid, {spaces_.rows, cutA, Phase::convertA, plan_.source});
    Converter<Types> holdB(channel_, plan_.grid, {spaces_.inner, cutB, Phase::convertB, plan_.source});
    const bool movesA = plan_.grid.cols > 1;
    const bool fromTiles = plan_.source == TileSource::tiles;
    const auto count = [&] {
      holdB.place(B);
      holdB.count(B);
      if (movesA) holdA.place(A);
      if (movesA && needed_) countNeededRows(holdA);
      if (movesA) holdA.count(A);
    };
    const auto pack = [&] {
      if (movesA) holdA.pack(A);
      holdB.pack(B);
    };
    if (fromTiles) {
      onAllRanksOrNone("counting tiles", count);
      if (movesA) holdA.exchangeLengths();
      holdB.exchangeLengths();
      onAllRanksOrNone("packing tiles", pack);
    } else {
      onAllRanksOrNone("cutting tiles", [&] {
        count();
        pack();
      });
    }
    if (movesA) tiles.A = holdA.exchangeTiles();
    tiles.B = holdB.exchangeTiles();
    const int column = plan_.grid.col(context_.node());
    tiles.firstBlockOfA = fromTiles ? column * (plan_.grid.rounds() / plan_.grid.cols) : 0;
    tiles.firstColumnOfB = fromTiles ? column : 0;
    tally_.A = movesA ? holdA.entriesBySegment()
                      : std::vector<std::int64_t>(static_cast<std::size_t>(plan_.grid.rounds()), 0);
    tally_.B = holdB.entriesBySegment();
    report_.secondsConvert = MPI_Wtime() - begin;
    return tiles;
  }

  // Columns of A count the needed rows of a base block, which are all that will be there of it.
  void countNeededRows(Converter<Types>& holdA) const {
    holdA.renumberColumns([&](int block, std::int64_t column) {
      return std::make_pair(block, needed_->position(spaces_.inner.blockStart(block) + column));
    });
  }

  // A on a grid of one column: one tile a batch, columns numbered as the rows of the batch of B.
  std::vector<TileSlice<Types>> placeAtHome(const LocalRows<Types>& A, const GatherLayout& layout) {
    const NodeGrid& grid = plan_.grid;
    ColumnCut cut = cutByBaseBlock(grid, spaces_.inner);
    cut.nodeColumn.assign(static_cast<std::size_t>(layout.batches()), 0);
    std::vector<int> roundOf(static_cast<std::size_t>(grid.rounds())), batchOf(roundOf.size());
    for (int t = 0, batch = 0; t < grid.rounds(); ++t) {
      roundOf[grid.stagger(t, grid.row(context_.node()), 0)] = t;
      batchOf[t] = batch;
      if (t + 1 == layout.round(t).batchEnd) ++batch;
    }
    Converter<Types> home(channel_, grid, {spaces_.rows, cut, Phase::convertA, TileSource::owners});
    home.place(A);
    home.renumberColumns([&](int block, std::int64_t column) {
      const int t = roundOf[block];
      const std::int64_t row = needed_ ? needed_->position(spaces_.inner.blockStart(block) + column) : column;
      return std::make_pair(batchOf[t], layout.round(t).firstRow + row);
    });
    home.count(A);
    home.pack(A);
    auto tiles = home.exchangeTiles();
    for (auto& tile : tiles) tile.spansBatch = true;
    return tiles;
  }

  Blocks mapBack(const CsrRows<Types>& C) {
    const Region region("Trident::mapBack");
    const double begin = MPI_Wtime();
    MapBack<Types> mapping(channel_, plan_.grid, spaces_.rows);
    if (plan_.grid.cols > 1) {
      onAllRanksOrNone("counting rows of C", [&] { mapping.count(C); });
      mapping.exchangeLengths();
      onAllRanksOrNone("allocating rows of C", [&] { mapping.layOut(C, spaces_.columns); });
    } else {
      mapping.layOut(C, spaces_.columns);  // C is at home
    }
    Blocks rowsOfC = mapping.exchangeRows(C);
    report_.secondsMapBack = MPI_Wtime() - begin;
    return rowsOfC;
  }

  CsrRows<Types> multiplyTiles(const LocalRows<Types>& A, OwnTiles<Types>& tiles,
                               const NeededOfOwner& owner) {
    const Region region("Trident::multiply");
    const double begin = MPI_Wtime();
    const FetchSchedule schedule(context_.topology(), plan_.grid, spaces_.rows, spaces_.inner,
                                 {plan_.source, plan_.source});
    const int rank = context_.rank();
    FetchLists fetches{schedule.receivesOfA(rank), schedule.receivesOfB(rank), schedule.sendsOfA(rank),
                       schedule.sendsOfB(rank)};
    const auto lists = listRows(owner, fetches);
    tiles.lists = lists.get();
    const RowLengths<Types> lengths = LengthExchange<Types>(channel_, plan_.grid, tiles).exchange(fetches);
    tallyNeeded(fetches);
    const auto own = ownPartsOfB(context_, plan_.grid, schedule, tiles, needed_.get());
    std::vector<std::int64_t> ownEntries;
    for (const auto& part : own) ownEntries.push_back(part.entries());
    GatherLayout layout(context_, plan_.grid, schedule, fetches.receivesB, ownEntries, needed_.get());
    const BroughtRows<Types> brought{lengths.receivesB, own};
    const auto gather = detail::makeGather<Types>(channel_, plan_, layout, brought, report_.gather);
    ScheduledExchange<Types> exchange(channel_, plan_.grid, {tiles, fetches, lengths}, *gather,
                                      plan_.roundsAhead);
    const auto product = detail::makeLocalProduct<Types>(plan_, context_.rank());
    RoundSum<Types> C_ijk(*product, shapeOfSlice(A), [&exchange] { exchange.progress(); });
    if (plan_.grid.cols == 1) placeAtHomeOrFail(A, layout, tiles, C_ijk);

    multiplyRounds(plan_.grid.rounds(), exchange, *gather, C_ijk);

    CsrRows<Types> C = sum(C_ijk);
    report_.batches = gather->batches();
    report_.engine = "scheduled";
    report_.localProduct = product->name();
    report_.multiplications = C_ijk.multiplications();
    report_.secondsMultiply = MPI_Wtime() - begin;
    return C;
  }

  void placeAtHomeOrFail(const LocalRows<Types>& A, const GatherLayout& layout, OwnTiles<Types>& tiles,
                         RoundSum<Types>& C_ijk) {
    try {
      tiles.A = placeAtHome(A, layout);
    } catch (const std::exception& error) {
      tiles.A.assign(static_cast<std::size_t>(layout.batches()), {});
      C_ijk.fail(error.what());
    }
  }

  std::unique_ptr<RowLists<Types>> listRows(const NeededOfOwner& owner, FetchLists& fetches) {
    if (!needed_) return nullptr;
    if (plan_.source == TileSource::tiles)
      return std::make_unique<RowLists<Types>>(channel_, *needed_, fetches);
    return std::make_unique<RowLists<Types>>(plan_.grid, context_.topology(), owner, *needed_, fetches);
  }

  void tallyNeeded(const FetchLists& fetches) {
    if (!needed_) return;
    tally_.needed.assign(static_cast<std::size_t>(context_.topology().nodes()), 0);
    for (const Fetch& fetch : fetches.sendsB)
      tally_.needed[context_.topology().nodeOf(fetch.to)] +=
          fetch.rows * static_cast<std::int64_t>(sizeof(Ordinal)) +
          fetch.entries * static_cast<std::int64_t>(sizeof(Ordinal) + sizeof(typename Types::scalar_type));
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
    return {rows, spaces_.columns.columnBlockStart(j + 1) - spaces_.columns.columnBlockStart(j),
            plan_.skipZerosOfA};
  }

  // A rank whose product failed has kept the rounds going. Before C is returned to its rows all ranks learn
  // of it; if C is at home, that is left to the caller.
  CsrRows<Types> sum(RoundSum<Types>& C_ijk) {
    CsrRows<Types> C;
    try {
      if (!C_ijk.failure().empty()) throw std::runtime_error(C_ijk.failure());
      C = C_ijk.sum();
    } catch (const std::exception& error) {
      failure_ = failureOf("the local product") + error.what();
    }
    if (plan_.grid.cols > 1) agreeOrThrow(context_.comm(), failure_);
    return C;
  }

  std::string failureOf(const char* what) const {
    return "Trident: " + std::string(what) + " failed on rank " + std::to_string(context_.rank()) + ": ";
  }

  // What this rank does alone: if it fails on one rank, it throws on all.
  template <class Work>
  void onAllRanksOrNone(const char* what, const Work& work) const {
    Trident::onAllRanksOrNone(context_.comm(), failureOf(what), work);
  }

  Context& context_;
  const Plan& plan_;
  const ProductSpaces& spaces_;
  ProductReport& report_;
  Channel channel_;
  std::unique_ptr<NeededRows> needed_;
  std::string failure_;
  RankTally tally_;
};

}  // namespace Trident

#endif
