#ifndef TRIDENT_BULK_SYNCHRONOUS_EXCHANGE_HPP
#define TRIDENT_BULK_SYNCHRONOUS_EXCHANGE_HPP

#include "exchange/Trident_RoundExchange.hpp"

namespace Trident {

/// No engine to use, but what engines are measured against: all ranks meet before every round, exchange its
/// tiles, wait for them, and only then multiply.
template <class Types>
class BulkSynchronousExchange : public RoundExchange<Types> {
 public:
  using Base = RoundExchange<Types>;

  BulkSynchronousExchange(const typename Base::Parts& parts, const NodeGrid& grid,
                          const RoundTraffic<Types>& traffic)
      : Base(parts, grid, traffic, 0), sends_(parts.channel, grid, traffic) {}

  std::string name() const override { return "bulk synchronous"; }
  std::string failure() const override { return sends_.B.failure(); }
  TileSends<Types>& sendsOfB() override { return sends_.B; }

  void finish() override {
    this->waiting_.until("wait finish", {"others to take its tiles"}, {}, [this] { return sends_.test(); });
  }

 protected:
  void beginRound(int t) override {
    checkMpi(watchedBarrier(this->channel_.context().comm(), "the bulk-synchronous round"), "MPI_Barrier");
    sends_.postThrough(t);
  }
  void posted(int) override {}
  void serve() override { sends_.test(); }

 private:
  SendsInOrder<Types> sends_;
};

}  // namespace Trident

#endif
