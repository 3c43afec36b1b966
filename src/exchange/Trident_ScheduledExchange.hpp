#ifndef TRIDENT_SCHEDULED_EXCHANGE_HPP
#define TRIDENT_SCHEDULED_EXCHANGE_HPP

#include "exchange/Trident_RoundExchange.hpp"

namespace Trident {

/// The scheduled engine: the stagger makes every transfer known in advance, so owners post sends and
/// consumers post receives a bounded number of rounds ahead (DESIGN, section 5). Works at any thread level.
///
/// A round's sends are posted no later than the rank's own round of the same number, so the node that is
/// furthest behind never waits for anybody: no schedule can deadlock.
template <class Types>
class ScheduledExchange : public RoundExchange<Types> {
 public:
  using Base = RoundExchange<Types>;

  ScheduledExchange(const typename Base::Parts& parts, const NodeGrid& grid,
                    const RoundTraffic<Types>& traffic, int roundsAhead)
      : Base(parts, grid, traffic, roundsAhead), sends_(parts.channel, grid, traffic) {}

  std::string name() const override { return "scheduled"; }
  std::string failure() const override { return sends_.B.failure(); }
  TileSends<Types>& sendsOfB() override { return sends_.B; }

  void finish() override {
    sends_.postThrough(this->rounds());
    this->waiting_.until("wait finish", {"others to take its tiles"}, {}, [this] { return sends_.test(); });
  }

 protected:
  void sendThrough(int last) override { sends_.postThrough(last); }
  void posted(int) override {}
  void serve() override { sends_.test(); }

 private:
  SendsInOrder<Types> sends_;
};

}  // namespace Trident

#endif
