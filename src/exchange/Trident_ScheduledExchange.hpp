#ifndef TRIDENT_SCHEDULED_EXCHANGE_HPP
#define TRIDENT_SCHEDULED_EXCHANGE_HPP

#include <algorithm>
#include <utility>
#include <vector>

#include "exchange/Trident_RowRequests.hpp"
#include "exchange/Trident_TileExchange.hpp"

namespace Trident {

/// This rank's slices of the tiles its node owns.
template <class Types>
struct OwnTiles {
  std::vector<TileSlice<Types>> A;  ///< one a base block of the node's column block, from the first on
  int firstBlockOfA = 0;
  TileSlice<Types> B;

  /// What other nodes ask of B; null under the filter "whole". Borrowed.
  const RowRequests<Types>* requests = nullptr;
};

/// Fills in the entries of this rank's sends and tells each consumer the entries it will receive. Blocks
/// until the counts from all owners are here; point to point, only between ranks that will exchange tiles.
void announceFetches(Channel& channel, FetchLists& fetches);

/// The scheduled engine: the stagger makes every transfer known in advance, so owners post sends and
/// consumers post receives a bounded number of rounds ahead (DESIGN, section 5). Works at any thread level.
///
/// A round's sends are posted no later than the rank's own round of the same number, so the node that is
/// furthest behind never waits for anybody: no schedule can deadlock.
template <class Types>
class ScheduledExchange : public TileExchange<Types> {
 public:
  /// The schedule's stagger and the tiles must agree; all references must outlive the engine.
  ScheduledExchange(Channel& channel, const NodeGrid& grid, const OwnTiles<Types>& tiles,
                    const FetchLists& fetches, TileLanding<Types>& landing, int roundsAhead)
      : channel_(channel),
        grid_(grid),
        tiles_(tiles),
        fetches_(fetches),
        landing_(landing),
        roundsAhead_(roundsAhead),
        pending_(static_cast<std::size_t>(grid.rounds())),
        received_(static_cast<std::size_t>(grid.rounds())) {}

  TileSlice<Types> receiveA(int t) override {
    channel_.protocolStep();
    postSends(t + roundsAhead_);
    postReceives(t);
    Channel::wait(pending_[t].A);
    const int node = channel_.context().node();
    const int r = grid_.stagger(t, grid_.row(node), grid_.col(node));
    if (grid_.colBlock(r) == grid_.col(node)) return tiles_.A[r - tiles_.firstBlockOfA];
    return std::exchange(received_[t], {});
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
      send(fetch, tiles_.A[fetch.baseBlock - tiles_.firstBlockOfA], Phase::multiplyA);
    }
    for (; sentB_ < fetches_.sendsB.size() && fetches_.sendsB[sentB_].round <= throughRound; ++sentB_) {
      if (tiles_.requests == nullptr)
        send(fetches_.sendsB[sentB_], tiles_.B, Phase::multiplyB);
      else
        sendRequested(sentB_);
    }
  }

  void send(const Fetch& fetch, const TileSlice<Types>& tile, Phase phase) {
    const std::int64_t row = tile.firstRow[fetch.firstPiece];
    const std::int64_t entry = tile.firstEntry[fetch.firstPiece];
    sendRows<Types>(channel_,
                    {tile.rowLengths.data() + row, tile.columns.data() + entry, tile.values.data() + entry},
                    {fetch.to, phase, fetch.rows, fetch.entries}, sending_);
  }

  void sendRequested(std::size_t f) {
    const Fetch& fetch = fetches_.sendsB[f];
    packed_.push_back(tiles_.requests->pack(f, fetch, tiles_.B));
    const auto& rows = packed_.back();
    sendRows<Types>(channel_, {rows.rowLengths.data(), rows.columns.data(), rows.values.data()},
                    {fetch.to, Phase::multiplyB, fetch.rows, fetch.entries}, sending_);
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

  void postReceivesOfA(int t) {
    const auto [first, last] = ofRound(fetches_.receivesA, t);
    TileSlice<Types>& tile = received_[t];
    for (auto fetch = first; fetch != last; ++fetch) {
      tile.firstRow.push_back(tile.rows() + fetch->rows);
      tile.firstEntry.push_back(tile.entries() + fetch->entries);
    }
    if (first == last) return;
    tile.rowLengths = allocate<typename Types::Ordinals>("Trident::exchange::A::rowLengths", tile.rows());
    auto columns = allocate<typename Types::Ordinals>("Trident::exchange::A::columns", tile.entries());
    auto values = allocate<typename Types::Values>("Trident::exchange::A::values", tile.entries());
    tile.columns = columns;
    tile.values = values;
    for (auto fetch = first; fetch != last; ++fetch) {
      const auto part = static_cast<std::size_t>(fetch - first);
      receive(*fetch, Phase::multiplyA,
              {tile.rowLengths.data() + tile.firstRow[part], columns.data() + tile.firstEntry[part],
               values.data() + tile.firstEntry[part]},
              pending_[t].A);
    }
  }

  void postReceivesOfB(int t) {
    const auto [first, last] = ofRound(fetches_.receivesB, t);
    for (auto fetch = first; fetch != last; ++fetch)
      receive(*fetch, Phase::multiplyB,
              landing_.landing(t, channel_.context().topology().sliceOf(fetch->from)), pending_[t].B);
  }

  void receive(const Fetch& fetch, Phase phase, const Landing<Types>& to, Channel::Requests& requests) {
    receiveRows<Types>(channel_, to, {fetch.from, phase, fetch.rows, fetch.entries}, requests);
    channel_.countTile(fetch.from, phase, fetch.filledRows, fetch.entries);
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
  TileLanding<Types>& landing_;
  int roundsAhead_;
  int posted_ = 0;
  int batchEnd_ = 0;
  std::size_t sentA_ = 0;
  std::size_t sentB_ = 0;
  Channel::Requests sending_;
  std::vector<detail::PackedRows<Types>> packed_;  // what is being sent
  std::vector<Pending> pending_;
  std::vector<TileSlice<Types>> received_;
};

}  // namespace Trident

#endif
