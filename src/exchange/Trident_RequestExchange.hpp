#ifndef TRIDENT_REQUEST_EXCHANGE_HPP
#define TRIDENT_REQUEST_EXCHANGE_HPP

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "exchange/Trident_RoundExchange.hpp"
#include "exchange/Trident_TileServer.hpp"

namespace Trident {

/// The request-queue engine (paper, section 4): a rank asks the holders of its tiles for them, a bounded
/// number of rounds ahead, and answers what it is asked for. Nobody needs to know how far others are.
///
/// With MPI_THREAD_MULTIPLE two sender threads answer, one for A and one for B, whatever the main thread
/// does. Otherwise the main thread answers in its waits and between pieces of its work. Host memory only.
template <class Types>
class RequestExchange : public RoundExchange<Types> {
 public:
  using Base = RoundExchange<Types>;

  /// Collective over the context's communicator at its first use.
  RequestExchange(const typename Base::Parts& parts, const RoundTraffic<Types>& traffic, const Plan& plan)
      : Base(parts, plan.grid, traffic, std::max(plan.roundsAhead, 1)),
        queues_(parts.channel.context().template attached<RequestQueues>()),
        queue_(queues_.queue(plan.engine == EngineKind::requestMessages)),
        filter_(plan.filter),
        product_(queues_.nextProduct()) {
    for (const Operand operand : {Operand::A, Operand::B})
      servers_.push_back(std::make_unique<TileServer<Types>>(
          parts.channel, plan.grid, traffic, ServedQueue{queues_, queue_, operand, product_}));
  }

  /// "requests (RMA, sender threads)" and the like, with the reason if it is not RMA.
  std::string name() const override {
    const bool threads =
        std::all_of(servers_.begin(), servers_.end(), [](auto& server) { return server->hasThread(); });
    std::string text = std::string("requests (") + queue_.name() +
                       (threads ? ", sender threads)" : ", served by the main thread)");
    if (!queues_.refusal().empty()) text += ": " + queues_.refusal();
    return text;
  }

  TileSends<Types>& sendsOfB() override { return servers_.back()->sends(); }

  std::string failure() const override { return servers_.back()->sends().failure(); }

  void finish() override {
    this->waiting_.until("wait finish", {"others to take its tiles"}, {}, [this] {
      return std::all_of(servers_.begin(), servers_.end(), [](auto& server) { return server->finished(); });
    });
    for (auto& server : servers_) server->join(this->channel_.ledger());
  }

 protected:
  void beginRound(int t) override {
    if (t == 0 && queues_.threads())
      for (auto& server : servers_) server->start();
  }

  // Asks every holder of a part of the round's tiles; the receives are posted already.
  void posted(int t) override {
    ask(Operand::A, this->traffic_.fetches.receivesA, t);
    ask(Operand::B, this->traffic_.fetches.receivesB, t);
  }

  void serve() override {
    for (auto& server : servers_) server->step();
  }

 private:
  void ask(Operand operand, const std::vector<Fetch>& fetches, int t) {
    const auto [first, last] = TileArrivals<Types>::ofRound(fetches, t);
    Channel& channel = this->channel_;
    const int self = channel.context().rank();
    std::vector<int> asked;
    for (auto fetch = first; fetch != last; ++fetch) {
      if (fetch->from == self || std::count(asked.begin(), asked.end(), fetch->from) > 0) continue;
      asked.push_back(fetch->from);
      TraceTag tag;
      tag.r = fetch->baseBlock;
      tag.round = t;
      tag.to = fetch->from;
      tag.bytes = sizeof(TileRequest);
      const TraceSpan span("request", tag);
      channel.protocolStep();
      queue_.put(fetch->from, operand,
                 {self, numberOfTile(this->grid_, *fetch), static_cast<std::int32_t>(filter_), product_},
                 this->waiting_);
      channel.ledger().countSent(operand == Operand::A ? Phase::multiplyA : Phase::multiplyB,
                                 channel.linkTo(fetch->from), Kind::request, sizeof(TileRequest));
      Watchdog::ofProcess().countPosted(1);
    }
  }

  RequestQueues& queues_;
  RequestQueue& queue_;
  TileFilter filter_;
  std::int32_t product_;
  std::vector<std::unique_ptr<TileServer<Types>>> servers_;  // of A and of B
};

}  // namespace Trident

#endif
