#ifndef TRIDENT_TILE_ARRIVALS_HPP
#define TRIDENT_TILE_ARRIVALS_HPP

#include <algorithm>
#include <utility>
#include <vector>

#include "exchange/Trident_TileExchange.hpp"
#include "exchange/Trident_TileSends.hpp"
#include "observe/Trident_Waiting.hpp"

namespace Trident {

/// The tiles that a rank receives in the rounds, and how it waits for them.
template <class Types>
class TileArrivals {
 public:
  TileArrivals(Channel& channel, const NodeGrid& grid, const RoundTraffic<Types>& traffic,
               TileLanding<Types>& landing)
      : channel_(channel),
        grid_(grid),
        traffic_(traffic),
        landing_(landing),
        rounds_(static_cast<std::size_t>(grid.rounds() * traffic.tiles.panels)) {}

  /// Posts the receives of round t. B's landing place must be open. Non-blocking.
  void post(int t) {
    posted_ = t + 1;
    postA(t);
    const auto [first, last] = ofRound(traffic_.fetches.receivesB, t);
    for (auto fetch = first; fetch != last; ++fetch) {
      const auto f = static_cast<std::size_t>(fetch - traffic_.fetches.receivesB.begin());
      receive(*fetch, landing_.landing(f), Phase::multiplyB, rounds_[t].B);
    }
  }

  /// A(i,r,k) of round t, which must have been posted: waits until it is here. It travels once for all
  /// panels.
  TileSlice<Types> takeA(int t, Waiting& waiting) {
    const int rounds = grid_.rounds();
    const int travelled = t % rounds;
    await(travelled, rounds_[travelled].A, Phase::multiplyA, waiting);
    const auto [first, last] = ofRound(traffic_.fetches.receivesA, travelled);
    if (first == last) return traffic_.tiles.ofA(baseBlock(t));
    TileSlice<Types>& tile = rounds_[travelled].tileOfA;
    return t / rounds + 1 == traffic_.tiles.panels ? std::exchange(tile, {}) : tile;
  }

  /// Waits until this rank's share of B(r,j) of round t has landed.
  void awaitB(int t, Waiting& waiting) { await(t, rounds_[t].B, Phase::multiplyB, waiting); }

  /// Notices what has arrived.
  void test() {
    for (; oldest_ < posted_; ++oldest_)
      if (!arrived(rounds_[oldest_].A) || !arrived(rounds_[oldest_].B)) break;
    for (int t = oldest_ + 1; t < posted_; ++t) {
      arrived(rounds_[t].A);
      arrived(rounds_[t].B);
    }
  }

  /// The base block that this rank's node works on in round t.
  int baseBlock(int t) const {
    const int node = channel_.context().node();
    return grid_.stagger(t, grid_.row(node), grid_.col(node));
  }

  /// The fetches of one round in a list that is sorted by rounds.
  static auto ofRound(const std::vector<Fetch>& fetches, int t) {
    const auto first = std::lower_bound(fetches.begin(), fetches.end(), t,
                                        [](const Fetch& fetch, int round) { return fetch.round < round; });
    return std::make_pair(first,
                          std::find_if(first, fetches.end(), [t](const Fetch& f) { return f.round != t; }));
  }

 private:
  // One fetch on its way.
  struct Arrival {
    Channel::Requests requests;
    int from;
    const char* name;
    std::int64_t traceId;
    bool done = false;
  };
  struct Round {
    std::vector<Arrival> A, B;
    TileSlice<Types> tileOfA;
  };

  // A(i,r,k) from its parts, one of which may be this rank's own.
  void postA(int t) {
    const auto [first, last] = ofRound(traffic_.fetches.receivesA, t);
    if (first == last) return;
    TileSlice<Types>& tile = rounds_[t].tileOfA;
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
      const auto f = static_cast<std::size_t>(fetch - traffic_.fetches.receivesA.begin());
      copyRun(traffic_.lengths.receivesA[f], 0, tile.rowLengths, tile.firstRow[part], fetch->rows);
      const std::int64_t entry = tile.firstEntry[part];
      if (fetch->from == channel_.context().rank()) {
        const auto own =
            detail::viewOfPieces(traffic_.tiles.ofA(fetch->baseBlock), fetch->firstPiece, fetch->lastPiece);
        copyRun(own.columns, 0, columns, entry, fetch->entries);
        copyRun(own.values, 0, values, entry, fetch->entries);
        continue;
      }
      receive(*fetch, {columns.data() + entry, values.data() + entry}, Phase::multiplyA, rounds_[t].A);
    }
  }

  void receive(const Fetch& fetch, const Landing<Types>& to, Phase phase, std::vector<Arrival>& arrivals) {
    const char* name = phase == Phase::multiplyA ? "receive A" : "receive B";
    TraceTag tag = tagOf(fetch.round, phase);
    tag.from = fetch.from;
    tag.bytes = fetch.entries * static_cast<std::int64_t>(sizeof(typename Types::ordinal_type) +
                                                          sizeof(typename Types::scalar_type));
    arrivals.push_back({{}, fetch.from, name, Trace::tileLeft(name, tag)});
    receiveEntries<Types>(channel_, to, {fetch.from, phase, fetch.rows, fetch.entries},
                          arrivals.back().requests);
  }

  static bool arrived(std::vector<Arrival>& arrivals) {
    bool all = true;
    for (Arrival& arrival : arrivals) {
      if (arrival.done) continue;
      arrival.done = Channel::test(arrival.requests);
      if (arrival.done) {
        Trace::tileArrived(arrival.name, arrival.traceId);
        Watchdog::ofProcess().progressed();
      }
      all = all && arrival.done;
    }
    return all;
  }

  void await(int t, std::vector<Arrival>& arrivals, Phase phase, Waiting& waiting) {
    if (arrived(arrivals)) return;
    const auto late = [&arrivals] {
      return std::find_if(arrivals.begin(), arrivals.end(), [](const Arrival& a) { return !a.done; })->from;
    };
    const TraceTag tag = tagOf(t, phase);
    const bool ofA = phase == Phase::multiplyA;
    waiting.until(ofA ? "wait A" : "wait B",
                  {ofA ? "a tile of A" : "a tile of B", late(), tag.i, tag.j, tag.r, tag.k}, tag, [&] {
                    const bool all = arrived(arrivals);
                    if (!all && Watchdog::on()) Watchdog::ofProcess().waitsFor(late());
                    return all;
                  });
  }

  TraceTag tagOf(int t, Phase phase) const {
    const int node = channel_.context().node();
    TraceTag tag;
    if (phase == Phase::multiplyA)
      tag.i = grid_.row(node);
    else
      tag.j = grid_.col(node);
    tag.r = baseBlock(t);
    tag.k = channel_.context().slice();
    tag.round = t;
    return tag;
  }

  Channel& channel_;
  NodeGrid grid_;
  RoundTraffic<Types> traffic_;
  TileLanding<Types>& landing_;
  std::vector<Round> rounds_;
  int posted_ = 0;  // rounds posted
  int oldest_ = 0;  // all rounds before it have arrived
};

}  // namespace Trident

#endif
