#ifndef TRIDENT_FAULTY_EXCHANGE_HPP
#define TRIDENT_FAULTY_EXCHANGE_HPP

#include <chrono>
#include <csignal>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "exchange/Trident_TileExchange.hpp"
#include "observe/Trident_Trace.hpp"
#include "plan/Trident_Plan.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {
namespace detail {

/// An engine on a rank that is slow, throws or dies, for tests of what the others then do.
template <class Types>
class FaultyExchange : public TileExchange<Types> {
 public:
  FaultyExchange(std::unique_ptr<TileExchange<Types>> engine, const Faults& faults, const Context& context)
      : engine_(std::move(engine)),
        throws_(faults.throwingRank == context.rank()),
        dies_(faults.dyingRank == context.rank()),
        seconds_(faults.roundSeconds * (faults.slowNode == context.node() ? 2 : 1)) {}

  TileSlice<Types> receiveA(int t) override {
    if (throws_ && t == 1) throw std::bad_alloc();
    if (dies_ && t == 1) std::raise(SIGKILL);
    if (t > 0) work(t - 1);
    return engine_->receiveA(t);
  }
  void receiveB(int t) override {
    engine_->receiveB(t);
    last_ = t;
  }
  void fetchAhead(int t) override { engine_->fetchAhead(t); }
  void progress() override { engine_->progress(); }
  void finish() override {
    work(last_);
    engine_->finish();
  }
  std::string failure() const override { return engine_->failure(); }
  std::string name() const override { return engine_->name(); }

 private:
  // As a local product does: a millisecond or so between two looks at the messages.
  void work(int t) {
    TraceTag tag;
    tag.round = t;
    const TraceSpan span("multiply", tag);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_);
    while (std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      engine_->progress();
    }
  }

  std::unique_ptr<TileExchange<Types>> engine_;
  bool throws_;
  bool dies_;
  double seconds_;
  int last_ = 0;
};

}  // namespace detail
}  // namespace Trident

#endif
