#ifndef TRIDENT_BULK_SYNCHRONOUS_EXCHANGE_HPP
#define TRIDENT_BULK_SYNCHRONOUS_EXCHANGE_HPP

#include "exchange/Trident_ScheduledExchange.hpp"

namespace Trident {

/// No engine to use, but what engines are measured against: all ranks meet before every round, exchange its
/// tiles, wait for them, and only then multiply.
template <class Types>
class BulkSynchronousExchange : public ScheduledExchange<Types> {
 public:
  using Base = ScheduledExchange<Types>;

  BulkSynchronousExchange(const typename Base::Parts& parts, const NodeGrid& grid,
                          const RoundTraffic<Types>& traffic)
      : Base(parts, grid, traffic, 0) {}

  std::string name() const override { return "bulk synchronous"; }

 protected:
  void beginRound(int) override {
    checkMpi(watchedBarrier(this->channel_.context().comm(), "the bulk-synchronous round"), "MPI_Barrier");
  }
  bool looksAhead() const override { return false; }
};

}  // namespace Trident

#endif
