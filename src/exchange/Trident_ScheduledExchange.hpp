#ifndef TRIDENT_SCHEDULED_EXCHANGE_HPP
#define TRIDENT_SCHEDULED_EXCHANGE_HPP

#include <algorithm>
#include <utility>
#include <vector>

#include "exchange/Trident_RowLengths.hpp"
#include "exchange/Trident_TileExchange.hpp"

namespace Trident {

/// The scheduled engine: the stagger makes every transfer known in advance, so owners post sends and
/// consumers post receives a bounded number of rounds ahead (DESIGN, section 5). Works at any thread level.
///
/// A round's sends are posted no later than the rank's own round of the same number, so the node that is
/// furthest behind never waits for anybody: no schedule can deadlock.
template <class Types>
class ScheduledExchange : public TileExchange<Types> {
 public:
  /// What travels, and the lengths of its rows; all must outlive the engine.
  struct Traffic {
    const OwnTiles<Types>& tiles;
    const FetchLists& fetches;
    const RowLengths<Types>& lengths;
  };

  ScheduledExchange(Channel& channel, const NodeGrid& grid, const Traffic& traffic,
                    TileLanding<Types>& landing, int roundsAhead)
      : channel_(channel),
        grid_(grid),
        tiles_(traffic.tiles),
        fetches_(traffic.fetches),
        lengths_(traffic.lengths),
        landing_(landing),
        roundsAhead_(roundsAhead),
        pending_(static_cast<std::size_t>(grid.rounds())),
        received_(static_cast<std::size_t>(grid.rounds())) {}

  TileSlice<Types> receiveA(int t) override {
    channel_.protocolStep();
    postSends(t + roundsAhead_);
    postReceives(t);
    if (grid_.cols == 1) return t + 1 == batchEnd_ ? tiles_.A[batch_++] : TileSlice<Types>();
    Channel::wait(pending_[t].A);
    if (ofRound(fetches_.receivesA, t).first != ofRound(fetches_.receivesA, t).second)
      return std::exchange(received_[t], {});
    const int node = channel_.context().node();
    return tiles_.ofA(grid_.stagger(t, grid_.row(node), grid_.col(node)));
  }

  void receiveB(int t) override {
    Channel::wait(pending_[t].B);
    channel_.protocolStep();
  }

  void progress() override { Channel::poll(sending_); }

  void finish() override {
    postSends(grid_.rounds());
    Channel::wait(sending_);
  }

 private:
  struct Pending {
    Channel::Requests A, B;
  };

  void postSends(int throughRound) {
    for (; sentA_ < fetches_.sendsA.size() && fetches_.sendsA[sentA_].round <= throughRound; ++sentA_) {
      const Fetch& fetch = fetches_.sendsA[sentA_];
      send(fetch, detail::viewOfPieces(tiles_.ofA(fetch.baseBlock), fetch.firstPiece, fetch.lastPiece),
           Phase::multiplyA);
    }
    for (; sentB_ < fetches_.sendsB.size() && fetches_.sendsB[sentB_].round <= throughRound; ++sentB_)
      send(fetches_.sendsB[sentB_], rowsOfSend(sentB_), Phase::multiplyB);
  }

  void send(const Fetch& fetch, const PackedRows<Types>& rows, Phase phase) {
    sendEntries<Types>(channel_, {rows.columns.data(), rows.values.data()},
                       {fetch.to, phase, fetch.rows, fetch.entries}, sending_);
  }

  PackedRows<Types> rowsOfSend(std::size_t f) {
    const Fetch& fetch = fetches_.sendsB[f];
    const int column = grid_.col(channel_.context().topology().nodeOf(fetch.to));
    const TileSlice<Types>& tile = tiles_.ofB(column);
    if (tiles_.lists == nullptr) return detail::viewOfPieces(tile, fetch.firstPiece, fetch.lastPiece);
    if (fetch.rows == 0) return {};
    auto& rowPtr = rowPtrOfB_[column];
    if (rowPtr.extent(0) == 0) rowPtr = rowPointers<Types>(tile.rowLengths);
    packed_.push_back(detail::packRows<Types>(tiles_.lists->ofSend(f), tile.firstRow[fetch.firstPiece],
                                              lengths_.sendsB[f], rowPtr, tile));
    return packed_.back();
  }

  // Receives are posted round by round, up to roundsAhead_ beyond t, but never beyond what the gather has
  // room for: B's next batch lands where the present one still is.
  void postReceives(int t) {
    if (t >= batchEnd_) {
      batchEnd_ = landing_.batchEnd(t);
      landing_.open(t);
    }
    for (; posted_ < std::min({t + roundsAhead_ + 1, batchEnd_, grid_.rounds()}); ++posted_) {
      postReceivesOfA(posted_);
      postReceivesOfB(posted_);
    }
  }

  // A(i,r,k) from its parts, one of which may be this rank's own.
  void postReceivesOfA(int t) {
    const auto [first, last] = ofRound(fetches_.receivesA, t);
    if (first == last) return;
    TileSlice<Types>& tile = received_[t];
    for (auto fetch = first; fetch != last; ++fetch) {
      tile.firstRow.push_back(tile.rows() + fetch->rows);
      tile.firstEntry.push_back(tile.entries() + fetch->entries);
    }
    tile.rowLengths = allocate<typename Types::Ordinals>("Trident::exchange::A::rowLengths", tile.rows());
    auto columns = allocate<typename Types::Ordinals>("Trident::exchange::A::columns", tile.entries());
    auto values = allocate<typename Types::Values>("Trident::exchange::A::values", tile.entries());
    tile.columns = columns;
    tile.values = values;
    for (auto fetch = first; fetch != last; ++fetch) {
      const auto part = static_cast<std::size_t>(fetch - first);
      const auto f = static_cast<std::size_t>(fetch - fetches_.receivesA.begin());
      copyRun(lengths_.receivesA[f], 0, tile.rowLengths, tile.firstRow[part], fetch->rows);
      const std::int64_t entry = tile.firstEntry[part];
      if (fetch->from == channel_.context().rank()) {
        const auto own =
            detail::viewOfPieces(tiles_.ofA(fetch->baseBlock), fetch->firstPiece, fetch->lastPiece);
        copyRun(own.columns, 0, columns, entry, fetch->entries);
        copyRun(own.values, 0, values, entry, fetch->entries);
        continue;
      }
      receiveEntries<Types>(channel_, {columns.data() + entry, values.data() + entry},
                            {fetch->from, Phase::multiplyA, fetch->rows, fetch->entries}, pending_[t].A);
    }
  }

  void postReceivesOfB(int t) {
    const auto [first, last] = ofRound(fetches_.receivesB, t);
    for (auto fetch = first; fetch != last; ++fetch)
      receiveEntries<Types>(channel_,
                            landing_.landing(static_cast<std::size_t>(fetch - fetches_.receivesB.begin())),
                            {fetch->from, Phase::multiplyB, fetch->rows, fetch->entries}, pending_[t].B);
  }

  static auto ofRound(const std::vector<Fetch>& fetches, int t) {
    const auto first = std::lower_bound(fetches.begin(), fetches.end(), t,
                                        [](const Fetch& fetch, int round) { return fetch.round < round; });
    return std::make_pair(first,
                          std::find_if(first, fetches.end(), [t](const Fetch& f) { return f.round != t; }));
  }

  Channel& channel_;
  NodeGrid grid_;
  const OwnTiles<Types>& tiles_;
  const FetchLists& fetches_;
  const RowLengths<Types>& lengths_;
  TileLanding<Types>& landing_;
  int roundsAhead_;
  int posted_ = 0;
  int batchEnd_ = 0;
  std::size_t batch_ = 0;
  std::size_t sentA_ = 0;
  std::size_t sentB_ = 0;
  Channel::Requests sending_;
  std::vector<PackedRows<Types>> packed_;             // what is being sent
  std::map<int, typename Types::Offsets> rowPtrOfB_;  // by column block
  std::vector<Pending> pending_;
  std::vector<TileSlice<Types>> received_;
};

}  // namespace Trident

#endif
