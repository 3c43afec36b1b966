#include "exchange/Trident_RequestQueues.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

using Milliseconds = std::chrono::milliseconds;

// In the trial each half of the ranks is outside MPI for so long while the other half puts requests into
// their queues; these must be there well before.
constexpr Milliseconds outside(120);
constexpr double secondsAllowed = 0.1;

int slotsWanted() {
  const char* text = std::getenv("TRIDENT_QUEUE_SLOTS");
  if (text == nullptr) return 64;
  const int slots = std::atoi(text);
  if (slots < 1 || slots > 1000000)
    throw std::invalid_argument(std::string("Trident: TRIDENT_QUEUE_SLOTS is \"") + text +
                                "\"; allowed: 1 to 1000000");
  return slots;
}

bool threadsAllowed() {
  int level = MPI_THREAD_SINGLE;
  checkMpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return level == MPI_THREAD_MULTIPLE;
}

// Takes what comes into this rank's queue of A until told to stop, on a thread of its own.
class Taker {
 public:
  explicit Taker(RequestQueue& queue) : thread_([this, &queue] { run(queue); }) {}

  // What came, or a request of product -1 if the MPI failed.
  std::vector<TileRequest> stop() {
    stop_ = true;
    thread_.join();
    return taken_;
  }

 private:
  void run(RequestQueue& queue) {
    try {
      while (!stop_) {
        TileRequest request{};
        if (queue.take(Operand::A, request))
          taken_.push_back(request);
        else
          std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    } catch (const std::exception&) {
      taken_.push_back({-1, -1, -1, -1});
    }
  }

  std::vector<TileRequest> taken_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TileRequest trialOf(int rank) { return {rank, 7 * rank + 1, 3 * rank + 2, -2}; }

}  // namespace

RequestQueues::RequestQueues(const Context& context) : threads_(threadsAllowed()), messages_(context) {
  refusal_ = tryRma(context);
  if (!refusal_.empty()) rma_.reset();
}

RequestQueue& RequestQueues::queue(bool messages) {
  if (!messages && rma_) return *rma_;
  return messages_;
}

std::string RequestQueues::tryRma(const Context& context) {
  if (!threads_) return "MPI was not started with MPI_THREAD_MULTIPLE";
  rma_ = std::make_unique<RmaRequestQueue>(context, slotsWanted());
  if (!rma_->valid()) return rma_->refusal();
  const Topology& topology = context.topology();
  const int self = context.rank();
  const int ranks = topology.ranks();

  // Every rank puts one request to its neighbour and one to a rank of another node.
  const int far = ranks / 2;
  Taker taker(*rma_);
  double seconds = 0;
  Waiting waiting;
  for (int half = 0; half < 2; ++half) {
    checkMpi(watchedBarrier(context.comm(), "the trial of RMA"), "MPI_Barrier");
    if (self % 2 != half) {
      std::this_thread::sleep_for(outside);
      continue;
    }
    const double begin = MPI_Wtime();
    for (const int owner : {(self + 1) % ranks, (self + far) % ranks})
      rma_->put(owner, Operand::A, trialOf(self), waiting);
    seconds = MPI_Wtime() - begin;
  }
  checkMpi(watchedBarrier(context.comm(), "the trial of RMA"), "MPI_Barrier");
  std::this_thread::sleep_for(Milliseconds(5));
  const std::vector<TileRequest> taken = taker.stop();

  const auto right = [](const TileRequest& request) {
    const TileRequest wanted = trialOf(request.source);
    return request.baseBlock == wanted.baseBlock && request.filter == wanted.filter &&
           request.product == wanted.product;
  };
  const auto count = [&](int source) {
    return std::count_if(taken.begin(), taken.end(),
                         [&](const TileRequest& r) { return r.source == source; });
  };
  const int before = (self + ranks - 1) % ranks;
  const int distant = (self + ranks - far) % ranks;
  const bool complete = taken.size() == 2 && std::all_of(taken.begin(), taken.end(), right) &&
                        count(before) >= 1 && count(distant) >= 1;
  std::array<int, 2> good{complete ? 1 : 0, seconds < secondsAllowed ? 1 : 0};
  checkMpi(
      watchedAllreduce(MPI_IN_PLACE, good.data(), 2, MPI_INT, MPI_MIN, context.comm(), "the trial of RMA"),
      "MPI_Allreduce");
  if (good[0] == 0) return "RMA brought wrong requests";
  if (good[1] == 0) return "RMA waits for the target to call MPI";
  return "";
}

}  // namespace Trident
