#ifndef TRIDENT_ROW_LENGTHS_HPP
#define TRIDENT_ROW_LENGTHS_HPP

#include <vector>

#include "exchange/Trident_RowLists.hpp"
#include "exchange/detail/Trident_PackRows.hpp"
#include "topology/Trident_Topology.hpp"

namespace Trident {

/// What this rank holds of the operands of the rounds.
template <class Types>
struct OwnTiles {
  /// One a base block, from `firstBlockOfA` on; on a grid of one column, where A is at home, one a batch of
  /// a panel.
  std::vector<TileSlice<Types>> A;
  int firstBlockOfA = 0;
  std::vector<TileSlice<Types>> B;  ///< `panels` a column block, from `firstColumnOfB` on
  int firstColumnOfB = 0;
  int panels = 1;

  /// Which rows of B go where; null under the filter "whole". Borrowed.
  const RowLists<Types>* lists = nullptr;

  const TileSlice<Types>& ofA(int baseBlock) const { return A[baseBlock - firstBlockOfA]; }
  const TileSlice<Types>& ofB(int column, int panel) const {
    return B[(column - firstColumnOfB) * panels + panel];
  }
};

/// The lengths of the rows of each fetch; they travel before the rounds, so that every array of the rounds
/// has a known size.
template <class Types>
struct RowLengths {
  using List = std::vector<typename Types::ConstOrdinals>;
  List receivesA, receivesB, sendsB;
};

/// Sends and receives the row lengths of all fetches and fills in the fetches' entries. Point to point, only
/// between ranks that exchange tiles; blocks until all are here.
template <class Types>
class LengthExchange {
 public:
  LengthExchange(Channel& channel, const NodeGrid& grid, const OwnTiles<Types>& tiles)
      : channel_(channel), grid_(grid), tiles_(tiles) {}

  RowLengths<Types> exchange(FetchLists& fetches) {
    RowLengths<Types> lengths;
    lengths.receivesA = receive(fetches.receivesA, Phase::multiplyA);
    lengths.receivesB = receive(fetches.receivesB, Phase::multiplyB);
    sendA(fetches.sendsA);
    lengths.sendsB = sendB(fetches.sendsB);
    Channel::wait(requests_);
    settle(fetches.receivesA, lengths.receivesA, Phase::multiplyA);
    settle(fetches.receivesB, lengths.receivesB, Phase::multiplyB);
    return lengths;
  }

 private:
  using Ordinal = typename Types::ordinal_type;
  using List = typename RowLengths<Types>::List;

  int self() const { return channel_.context().rank(); }

  List receive(const std::vector<Fetch>& fetches, Phase phase) {
    std::int64_t total = 0;
    for (const Fetch& fetch : fetches) total += fetch.from == self() ? 0 : fetch.rows;
    const auto all = allocate<typename Types::Ordinals>("Trident::exchange::rowLengths", total);
    List lengths;
    std::int64_t next = 0;
    for (const Fetch& fetch : fetches) {
      if (fetch.from == self()) {
        lengths.push_back(
            detail::viewOfPieces(tiles_.ofA(fetch.baseBlock), fetch.firstPiece, fetch.lastPiece).rowLengths);
        continue;
      }
      lengths.push_back(Kokkos::subview(all, std::make_pair(next, next + fetch.rows)));
      channel_.receive(all.data() + next, fetch.rows, sizeof(Ordinal),
                       Route{fetch.from, phase, Kind::pointers}, requests_);
      next += fetch.rows;
    }
    return lengths;
  }

  void sendA(std::vector<Fetch>& fetches) {
    for (Fetch& fetch : fetches) {
      const TileSlice<Types>& tile = tiles_.ofA(fetch.baseBlock);
      fetch.entries = tile.firstEntry[fetch.lastPiece] - tile.firstEntry[fetch.firstPiece];
      send(fetch, detail::viewOfPieces(tile, fetch.firstPiece, fetch.lastPiece).rowLengths, Phase::multiplyA);
    }
  }

  List sendB(std::vector<Fetch>& fetches) {
    List lengths;
    for (std::size_t f = 0; f < fetches.size(); ++f) {
      Fetch& fetch = fetches[f];
      const int column = grid_.col(channel_.context().topology().nodeOf(fetch.to));
      const TileSlice<Types>& tile = tiles_.ofB(column, fetch.panel);
      if (tiles_.lists == nullptr)
        lengths.push_back(detail::viewOfPieces(tile, fetch.firstPiece, fetch.lastPiece).rowLengths);
      else
        lengths.push_back(
            detail::packLengths<Types>(tiles_.lists->ofSend(f), tile.firstRow[fetch.firstPiece], tile));
      fetch.entries = detail::sumOf<Types>(lengths.back());
      send(fetch, lengths.back(), Phase::multiplyB);
    }
    return lengths;
  }

  void send(const Fetch& fetch, const typename Types::ConstOrdinals& lengths, Phase phase) {
    channel_.send(lengths.data(), fetch.rows, sizeof(Ordinal), Route{fetch.to, phase, Kind::pointers},
                  requests_);
  }

  // The ledger's rows of a needed tile are those that are not empty, as in the volume model.
  void settle(std::vector<Fetch>& fetches, const List& lengths, Phase phase) {
    for (std::size_t f = 0; f < fetches.size(); ++f) {
      fetches[f].entries = detail::sumOf<Types>(lengths[f]);
      if (fetches[f].from == self()) continue;
      const bool chosen = phase == Phase::multiplyB && tiles_.lists != nullptr;
      channel_.countTile(fetches[f].from, phase,
                         chosen ? detail::filledOf<Types>(lengths[f]) : fetches[f].rows, fetches[f].entries);
    }
  }

  Channel& channel_;
  NodeGrid grid_;
  const OwnTiles<Types>& tiles_;
  Channel::Requests requests_;
};

/// What this rank brings itself to each round's B(r,j), empty where its node holds nothing of it.
template <class Types>
std::vector<PackedRows<Types>> ownPartsOfB(const Context& context, const NodeGrid& grid,
                                           const FetchSchedule& schedule, const OwnTiles<Types>& tiles,
                                           const NeededRows* needed) {
  const int rounds = grid.rounds();
  std::vector<PackedRows<Types>> own(static_cast<std::size_t>(rounds * tiles.panels));
  const int node = context.node();
  const auto bring = [&](int t, const Fetch& run) {
    const TileSlice<Types>& tile = tiles.ofB(grid.col(node), t / rounds);
    own[t] = detail::viewOfPieces(tile, run.firstPiece, run.lastPiece);
    const std::int64_t endId = run.firstId + run.rows;
    if (needed == nullptr || needed->count(run.firstId, endId) == run.rows) return;
    const auto rows = needed->list<typename Types::ordinal_type>(run.firstId, endId);
    const std::int64_t firstRow = tile.firstRow[run.firstPiece];
    own[t] = detail::packRows<Types>(rows, firstRow, detail::packLengths<Types>(rows, firstRow, tile),
                                     rowPointers<Types>(tile.rowLengths), tile);
  };
  for (int t = 0; t < rounds; ++t)
    for (const Part& part : schedule.partsOfB(node, grid.stagger(t, grid.row(node), grid.col(node))))
      if (part.atHome && part.receiver == context.slice())
        for (int panel = 0; panel < tiles.panels; ++panel) bring(panel * rounds + t, part.run);
  return own;
}

}  // namespace Trident

#endif
