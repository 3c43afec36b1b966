#ifndef TRIDENT_TILE_HOLDING_HPP
#define TRIDENT_TILE_HOLDING_HPP

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exchange/Trident_RowLengths.hpp"
#include "gather/Trident_GatherLayout.hpp"
#include "multiply/Trident_Convert.hpp"
#include "multiply/Trident_Prediction.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {

/// The three dimensions of a product, each with the owners of its indices.
struct ProductSpaces {
  IndexSpace rows;     ///< of A and C, BlockOrder::bySlice
  IndexSpace inner;    ///< A's columns, B's rows, BlockOrder::bySlice from tiles, byRank from owners
  IndexSpace columns;  ///< of B and C, BlockOrder::byRank
};

namespace detail {

inline std::string failureOf(const char* what, int rank) {
  return "Trident: " + std::string(what) + " failed on rank " + std::to_string(rank) + ": ";
}

/// Throws std::runtime_error if a dimension does not fit a local ordinal.
inline void requireAtMost(std::int64_t found, std::int64_t most, const char* what) {
  if (found > most)
    throw std::runtime_error("Trident: " + std::to_string(found) + ' ' + what + ", at most " +
                             std::to_string(most) +
                             " fit a local ordinal; use more nodes or another grid (\"trident: grid\")");
}

}  // namespace detail

/// Brings 1D rows into the form in which the rounds want them: tiles assembled on their nodes, or each rank's
/// own rows cut into segments. A on a grid of one column is at home and is placed when the batches of B are
/// known.
template <class Types>
class TileHolding {
 public:
  /// All references must outlive this object; `needed` is null under the filter "whole".
  TileHolding(Channel& channel, const Plan& plan, const ProductSpaces& spaces, const NeededRows* needed)
      : channel_(channel), plan_(plan), spaces_(spaces), needed_(needed) {}

  /// What this rank holds of A and B; `tally` learns its entries by segment. Collective: one agreement, or,
  /// for tiles, two and the exchange.
  OwnTiles<Types> hold(const LocalRows<Types>& A, const LocalRows<Types>& B, RankTally& tally) {
    OwnTiles<Types> tiles;
    const ColumnCut cutA = cutByBaseBlock(plan_.grid, spaces_.inner);
    const int panels = plan_.panelsOrOne();
    const ColumnCut cutB = cutByColumnBlock(plan_.grid, spaces_.columns, panels);
    Converter<Types> holdA(channel_, plan_.grid, {spaces_.rows, cutA, Phase::convertA, moveOf(A)});
    Converter<Types> holdB(channel_, plan_.grid, {spaces_.inner, cutB, Phase::convertB, moveOf(B)});
    const bool movesA = plan_.grid.cols > 1;
    const bool movesAny = moveOf(A) == RowMove::toTiles || moveOf(B) == RowMove::toTiles;
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
    if (movesAny) {
      onAllRanksOrNone("counting tiles", count);
      if (movesA && moveOf(A) == RowMove::toTiles) holdA.exchangeLengths();
      if (moveOf(B) == RowMove::toTiles) holdB.exchangeLengths();
      onAllRanksOrNone("packing tiles", pack);
    } else {
      onAllRanksOrNone("cutting tiles", [&] {
        count();
        pack();
      });
    }
    if (movesA) tiles.A = holdA.exchangeTiles();
    tiles.B = holdB.exchangeTiles();
    const int column = plan_.grid.col(channel_.context().node());
    const int firstBlock = column * (plan_.grid.rounds() / plan_.grid.cols);
    tiles.firstBlockOfA = moveOf(A) == RowMove::toTiles ? firstBlock : 0;
    tiles.panels = panels;
    tiles.firstColumnOfB = moveOf(B) == RowMove::toTiles ? column : 0;
    tally.A = movesA ? holdA.entriesBySegment()
                     : std::vector<std::int64_t>(static_cast<std::size_t>(plan_.grid.rounds()), 0);
    tally.B.assign(static_cast<std::size_t>(plan_.grid.cols), 0);
    const std::vector<std::int64_t> entriesOfB = holdB.entriesBySegment();
    for (std::size_t s = 0; s < entriesOfB.size(); ++s) tally.B[s / panels] += entriesOfB[s];
    return tiles;
  }

  /// A on a grid of one column. `byRounds`: one tile a round, columns numbered as the rows of the round's B;
  /// this copies A's entries. Otherwise one tile a batch, columns numbered as the rows of the batch of B.
  std::vector<TileSlice<Types>> placeAtHome(const LocalRows<Types>& A, const GatherLayout& layout,
                                            bool byRounds) {
    const NodeGrid& grid = plan_.grid;
    ColumnCut cut = cutByBaseBlock(grid, spaces_.inner);
    cut.nodeColumn.assign(static_cast<std::size_t>(byRounds ? grid.rounds() : layout.batchesAPanel()), 0);
    std::vector<int> roundOf(static_cast<std::size_t>(grid.rounds())), batchOf(roundOf.size());
    for (int t = 0; t < grid.rounds(); ++t) {
      roundOf[grid.stagger(t, grid.row(channel_.context().node()), 0)] = t;
      batchOf[t] = layout.round(t).batch;
    }
    Converter<Types> home(
        channel_, grid,
        {spaces_.rows, cut, Phase::convertA, A.ofTile ? RowMove::stayTiled : RowMove::stayOwned});
    home.place(A);
    home.renumberColumns([&](int block, std::int64_t column) {
      const int t = roundOf[block];
      const std::int64_t row = needed_ ? needed_->position(spaces_.inner.blockStart(block) + column) : column;
      return byRounds ? std::make_pair(t, row) : std::make_pair(batchOf[t], layout.round(t).firstRow + row);
    });
    home.count(A);
    home.pack(A);
    auto tiles = home.exchangeTiles();
    for (auto& tile : tiles) tile.spansBatch = !byRounds;
    return tiles;
  }

 private:
  RowMove moveOf(const LocalRows<Types>& X) const {
    if (X.ofTile) return RowMove::stayTiled;
    return plan_.source == TileSource::tiles ? RowMove::toTiles : RowMove::stayOwned;
  }

  // Columns of A count the needed rows of a base block, which are all that will be there of it.
  void countNeededRows(Converter<Types>& holdA) const {
    holdA.renumberColumns([&](int block, std::int64_t column) {
      return std::make_pair(block, needed_->position(spaces_.inner.blockStart(block) + column));
    });
  }

  template <class Work>
  void onAllRanksOrNone(const char* what, const Work& work) const {
    Trident::onAllRanksOrNone(channel_.context().comm(), detail::failureOf(what, channel_.context().rank()),
                              work);
  }

  Channel& channel_;
  const Plan& plan_;
  const ProductSpaces& spaces_;
  const NeededRows* needed_;
};

}  // namespace Trident

#endif
