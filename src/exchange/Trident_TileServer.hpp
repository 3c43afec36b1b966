#ifndef TRIDENT_TILE_SERVER_HPP
#define TRIDENT_TILE_SERVER_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "exchange/Trident_RequestQueues.hpp"
#include "exchange/Trident_TileSends.hpp"

namespace Trident {

/// The queue that a server takes requests from.
struct ServedQueue {
  RequestQueues& queues;
  RequestQueue& queue;
  Operand operand;
  std::int32_t product;
};

/// The number by which a tile is asked for.
inline std::int32_t numberOfTile(const NodeGrid& grid, const Fetch& fetch) {
  return fetch.panel * grid.rounds() + fetch.baseBlock;
}

/// Answers the requests for one rank's tiles of A, or of B, in one product: on a thread of its own, or step
/// by step on the thread that calls.
///
/// How many requests will come is known, so the server ends by itself. Requests of the next product, from
/// ranks that are ahead, are kept for it.
template <class Types>
class TileServer {
 public:
  TileServer(const Channel& channel, const NodeGrid& grid, const RoundTraffic<Types>& traffic,
             const ServedQueue& served)
      : channel_(channel.withLedger(ledger_, 1 + static_cast<int>(served.operand))),
        sends_(channel_, grid, traffic, served.operand == Operand::A ? Phase::multiplyA : Phase::multiplyB,
               TileSends<Types>::Packing::onThisThread),
        served_(served) {
    for (std::size_t f = 0; f < sends_.count(); ++f)
      wanted_[{sends_.fetch(f).to, numberOfTile(grid, sends_.fetch(f))}].push_back(f);
    left_ = wanted_.size();
  }
  TileServer(const TileServer&) = delete;
  TileServer& operator=(const TileServer&) = delete;
  ~TileServer() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  TileSends<Types>& sends() { return sends_; }

  /// From here on a thread of its own serves; where the system has no more threads, step() does.
  void start() {
    try {
      thread_ = std::thread([this] { run(); });
      hasThread_ = true;
    } catch (const std::system_error&) {
    }
  }

  /// Whether a thread of its own has served.
  bool hasThread() const { return hasThread_; }

  /// Without a thread: serves what has been asked for. With one: throws what that has thrown.
  void step() {
    if (!thread_.joinable()) {
      serve();
    } else if (failed_) {
      throw std::runtime_error(failure_);
    }
  }

  /// Whether all requests have been served and all tiles are through.
  bool finished() const { return finished_; }

  /// Ends the thread, which has finished, and adds what it counted.
  void join(Ledger& ledger) {
    if (thread_.joinable()) thread_.join();
    ledger.add(ledger_);
    ledger_ = Ledger();
  }

 private:
  void run() {
    Trace::setLane(served_.operand == Operand::A ? TraceLane::senderA : TraceLane::senderB);
    try {
      for (auto nap = shortestNap; !finished_ && !stop_;) {
        if (serve()) {
          nap = shortestNap;
        } else {
          std::this_thread::sleep_for(nap);
          nap = std::min(2 * nap, longestNap);
        }
      }
    } catch (const std::exception& error) {
      failure_ = error.what();
      failed_ = true;
    }
  }

  // Whether there was anything to do.
  bool serve() {
    if (finished_) return false;
    bool served = false;
    TileRequest request{};
    while (left_ > 0 && next(request)) {
      channel_.protocolStep();
      answer(request);
      served = true;
    }
    if (sends_.test() && left_ == 0) finished_ = true;
    return served;
  }

  bool next(TileRequest& request) {
    auto& early = served_.queues.early(served_.operand);
    const auto mine = std::find_if(early.begin(), early.end(),
                                   [this](const TileRequest& r) { return r.product == served_.product; });
    if (mine != early.end()) {
      request = *mine;
      early.erase(mine);
      return true;
    }
    while (served_.queue.take(served_.operand, request)) {
      if (request.product == served_.product) return true;
      early.push_back(request);
    }
    return false;
  }

  void answer(const TileRequest& request) {
    const auto fetches = wanted_.find({request.source, request.tile});
    if (fetches == wanted_.end())
      throw std::logic_error("Trident: rank " + std::to_string(request.source) + " asks for tile " +
                             std::to_string(request.tile) + ", which it has been sent or does not need");
    const bool ofA = served_.operand == Operand::A;
    TraceTag tag;
    tag.r = sends_.fetch(fetches->second.front()).baseBlock;
    tag.to = request.source;
    const TraceSpan span(ofA ? "serve A" : "serve B", tag);
    channel_.ledger().countReceived(ofA ? Phase::multiplyA : Phase::multiplyB,
                                    channel_.linkTo(request.source), Kind::request, sizeof(TileRequest));
    for (const std::size_t f : fetches->second) sends_.send(f);
    wanted_.erase(fetches);
    --left_;
    Watchdog::ofProcess().countServed(1);
    Watchdog::ofProcess().progressed();
  }

  static constexpr std::chrono::microseconds shortestNap{20};
  static constexpr std::chrono::microseconds longestNap{200};

  Ledger ledger_;
  Channel channel_;
  TileSends<Types> sends_;
  ServedQueue served_;
  std::map<std::pair<int, int>, std::vector<std::size_t>> wanted_;  // sends by consumer and tile
  std::size_t left_ = 0;
  std::atomic<bool> finished_{false};
  std::atomic<bool> stop_{false};
  std::atomic<bool> failed_{false};
  std::string failure_;
  bool hasThread_ = false;
  std::thread thread_;
};

}  // namespace Trident

#endif
