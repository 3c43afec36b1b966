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
    postReceives(t);
    if (grid_.cols > 1) return arrivals_.takeA(t, waiting_);
    const auto tile = static_cast<std::size_t>(oneTileARound() ? t : batch_);
    if (t + 1 == batchEnd_) ++batch_;
    return oneTileARound() || t + 1 == batchEnd_ ? traffic_.tiles.A[tile] : TileSlice<Types>();
  }

  void receiveB(int t) override {
    arrivals_.awaitB(t, waiting_);
    channel_.protocolStep();
  }

  void progress() override {
    arrivals_.test();
    serve();
  }

  /// For tests: what sends tiles of B.
  virtual TileSends<Types>& sendsOfB() = 0;

 protected:
  /// This rank begins its round t.
  virtual void beginRound(int t) = 0;

  /// This rank has posted the receives of round t.
  virtual void posted(int t) = 0;

  /// Sends what others want of this rank, without waiting.
  virtual void serve() = 0;

  Channel& channel_;
  Waiting& waiting_;
  NodeGrid grid_;
  RoundTraffic<Types> traffic_;
  int roundsAhead_;

 private:
  // A at home is cut by batches, or by rounds if rounds are multiplied before their batch is complete.
  bool oneTileARound() const { return traffic_.tiles.A.empty() || !traffic_.tiles.A.front().spansBatch; }

  // Receives are posted round by round, up to roundsAhead_ beyond t, but never beyond what the gather has
  // room for: B's next batch lands where the present one still is.
  void postReceives(int t) {
    if (t >= batchEnd_) {
      batchEnd_ = landing_.batchEnd(t);
      landing_.open(t);
    }
    for (; posted_ < std::min({t + roundsAhead_ + 1, batchEnd_, grid_.rounds()}); ++posted_) {
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
