#ifndef TRIDENT_ROUND_EXCHANGE_HPP
#define TRIDENT_ROUND_EXCHANGE_HPP

#include <algorithm>

#include "exchange/Trident_TileArrivals.hpp"

namespace Trident {

/// What all engines have in common: receives are posted a bounded number of rounds ahead, tiles are waited
/// for in the order of the rounds. How owners learn that a tile is wanted is the engine's own.
template <class Types>
class RoundExchange : public TileExchange<Types> {
 public:
  /// The parts of a product that an engine works with; all must outlive it.
  struct Parts {
    Channel& channel;
    Waiting& waiting;
    TileLanding<Types>& landing;
  };

  RoundExchange(const Parts& parts, const NodeGrid& grid, const RoundTraffic<Types>& traffic, int roundsAhead)
      : channel_(parts.channel),
        waiting_(parts.waiting),
        grid_(grid),
        traffic_(traffic),
        roundsAhead_(roundsAhead),
        landing_(parts.landing),
        arrivals_(parts.channel, grid, traffic, parts.landing) {
    waiting_.serve([this] { this->progress(); });
  }

  TileSlice<Types> receiveA(int t) override {
    channel_.protocolStep();
    beginRound(t);
    letTravel(t, t + roundsAhead_);
    if (grid_.cols > 1) return arrivals_.takeA(t, waiting_);
    return tileAtHome(t);
  }

  void receiveB(int t) override {
    arrivals_.awaitB(t, waiting_);
    channel_.protocolStep();
  }

  void fetchAhead(int t) override {
    if (!looksAhead() || t + 1 < landing_.batchEnd(t)) return;
    const int last = landing_.batch(t) + landing_.batchesAhead();
    while (batchEnd_ < rounds() && landing_.batch(batchEnd_) <= last) letTravel(batchEnd_, rounds());
  }

  void progress() override {
    arrivals_.test();
    serve();
  }

  /// For tests: what sends tiles of B.
  virtual TileSends<Types>& sendsOfB() = 0;

 protected:
  /// This rank begins its round t.
  virtual void beginRound(int /*t*/) {}

  /// Tiles of all rounds through `last` may leave this rank.
  virtual void sendThrough(int /*last*/) {}

  /// Whether a batch's tiles travel while the one before it is multiplied.
  virtual bool looksAhead() const { return true; }

  /// This rank has posted the receives of round t.
  virtual void posted(int t) = 0;

  /// Sends what others want of this rank, without waiting.
  virtual void serve() = 0;

  int rounds() const { return grid_.rounds() * traffic_.tiles.panels; }

  Channel& channel_;
  Waiting& waiting_;
  NodeGrid grid_;
  RoundTraffic<Types> traffic_;
  int roundsAhead_;

 private:
  // A at home is cut by batches, or by rounds if rounds are multiplied before their batch is complete. All
  // panels meet the same tiles.
  TileSlice<Types> tileAtHome(int t) {
    const auto& tiles = traffic_.tiles.A;
    if (!tiles.front().spansBatch) return tiles[t % grid_.rounds()];
    if (t + 1 < landing_.batchEnd(t)) return {};  // it comes with the last round
    return tiles[batch_++ % tiles.size()];
  }

  // Sends and receives are posted round by round, from round t through round `last`. Receives need a place to
  // land. Where a batch travels while another is multiplied, it does not leave before: the tiles waited for
  // would share the links with it.
  void letTravel(int t, int last) {
    const bool begins = t >= batchEnd_;
    if (begins) batchEnd_ = landing_.batchEnd(t);
    const int lastOfBatch = std::min(last, batchEnd_ - 1);
    sendThrough(landing_.batchesAhead() > 0 ? lastOfBatch : last);
    if (begins) landing_.open(t);
    for (; posted_ <= lastOfBatch; ++posted_) {
      arrivals_.post(posted_);
      posted(posted_);
    }
  }

  TileLanding<Types>& landing_;
  TileArrivals<Types> arrivals_;
  int posted_ = 0;
  int batchEnd_ = 0;
  int batch_ = 0;
};

}  // namespace Trident

#endif
