#include "exchange/Trident_RequestQueues.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
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

// The least of all ranks: their environments and thread levels need not be the same.
int leastOf(int mine, const Context& context) {
  int least = 0;
  checkMpi(watchedAllreduce(&mine, &least, 1, MPI_INT, MPI_MIN, context.comm(), "the request queues"),
           "MPI_Allreduce");
  return least;
}

bool threadsAllowed(const Context& context) {
  int level = MPI_THREAD_SINGLE;
  checkMpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return leastOf(level, context) == MPI_THREAD_MULTIPLE;
}

// Takes what comes into this rank's queue of A, on a thread of its own.
class Taker {
 public:
  explicit Taker(RequestQueue& queue) : thread_([this, &queue] { run(queue); }) {}
  Taker(const Taker&) = delete;
  Taker& operator=(const Taker&) = delete;
  ~Taker() {
    if (thread_.joinable()) stop(0);
  }

  // What came, once it is `wanted` requests or the time is up; one of product -1 if the MPI failed.
  std::vector<TileRequest> stop(std::size_t wanted) {
    const double end = MPI_Wtime() + secondsAllowed;
    while (count_ < wanted && MPI_Wtime() < end) std::this_thread::sleep_for(Milliseconds(1));
    stop_ = true;
    thread_.join();
    return taken_;
  }

 private:
  void run(RequestQueue& queue) {
    try {
      while (!stop_) {
        TileRequest request{};
        if (queue.take(Operand::A, request)) {
          taken_.push_back(request);
          ++count_;
        } else {
          std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
      }
    } catch (const std::exception&) {
      taken_.push_back({-1, -1, -1, -1});
      ++count_;
    }
  }

  std::vector<TileRequest> taken_;
  std::atomic<std::size_t> count_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Every rank puts one request to its neighbour and one to a rank of another node, half of the ranks at a time
// while the others are outside MPI.
class Trial {
 public:
  Trial(const Context& context, RequestQueue& queue)
      : context_(context), queue_(queue), self_(context.rank()), ranks_(context.topology().ranks()) {}

  // What is wrong with the queue, the same on all ranks; empty if nothing is. Collective.
  std::string run() {
    std::optional<Taker> taker;
    attempt([&] { taker.emplace(queue_); });
    for (int half = 0; half < 2; ++half) {
      checkMpi(watchedBarrier(context_.comm(), what), "MPI_Barrier");
      if (self_ % 2 == half)
        put();
      else
        std::this_thread::sleep_for(outside);
    }
    checkMpi(watchedBarrier(context_.comm(), what), "MPI_Barrier");
    const bool complete = taker && isComplete(taker->stop(2));
    std::array<int, 2> good{complete ? 1 : 0, seconds_ < secondsAllowed ? 1 : 0};
    checkMpi(watchedAllreduce(MPI_IN_PLACE, good.data(), 2, MPI_INT, MPI_MIN, context_.comm(), what),
             "MPI_Allreduce");
    if (good[0] == 0) return "RMA brought wrong requests, or none";
    if (good[1] == 0) return "RMA waits for the target to call MPI";
    return "";
  }

 private:
  static constexpr const char* what = "the trial of RMA";

  static TileRequest requestOf(int rank) { return {rank, 7 * rank + 1, 3 * rank + 2, -2}; }

  int far() const { return ranks_ / 2; }

  template <class Step>
  void attempt(const Step& step) {
    try {
      step();
    } catch (const std::exception&) {
      failed_ = true;
    }
  }

  void put() {
    Waiting waiting;
    const double begin = MPI_Wtime();
    for (const int owner : {(self_ + 1) % ranks_, (self_ + far()) % ranks_})
      attempt([&] { queue_.put(owner, Operand::A, requestOf(self_), waiting); });
    seconds_ = MPI_Wtime() - begin;
  }

  // Whether this rank could put its requests, and those of the two ranks before it have come.
  bool isComplete(const std::vector<TileRequest>& taken) const {
    const auto right = [](const TileRequest& request) {
      const TileRequest wanted = requestOf(request.source);
      return request.tile == wanted.tile && request.filter == wanted.filter &&
             request.product == wanted.product;
    };
    const auto cameFrom = [&taken](int source) {
      return std::any_of(taken.begin(), taken.end(),
                         [source](const TileRequest& request) { return request.source == source; });
    };
    return !failed_ && taken.size() == 2 && std::all_of(taken.begin(), taken.end(), right) &&
           cameFrom((self_ + ranks_ - 1) % ranks_) && cameFrom((self_ + ranks_ - far()) % ranks_);
  }

  const Context& context_;
  RequestQueue& queue_;
  int self_;
  int ranks_;
  bool failed_ = false;
  double seconds_ = 0;
};

}  // namespace

RequestQueues::RequestQueues(const Context& context) : threads_(threadsAllowed(context)), messages_(context) {
  refusal_ = tryRma(context);
  if (!refusal_.empty()) rma_.reset();
}

RequestQueue& RequestQueues::queue(bool messages) {
  if (!messages && rma_) return *rma_;
  return messages_;
}

std::string RequestQueues::tryRma(const Context& context) {
  if (!threads_) return "MPI was not started with MPI_THREAD_MULTIPLE";
  rma_ = std::make_unique<RmaRequestQueue>(context, leastOf(slotsWanted(), context));
  return rma_->valid() ? Trial(context, *rma_).run() : rma_->refusal();
}

}  // namespace Trident
