// The queues by themselves: every request comes once, unharmed and in the order of those of its rank, however
// few slots a ring has and however often it is gone round.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "exchange/Trident_RequestQueues.hpp"

namespace {

using namespace Trident;

constexpr int requestsOfARank = 40;

TileRequest requestOf(int source, int owner, Operand operand, int number) {
  return {source, number, owner * 2 + static_cast<int>(operand), -number - source};
}

// Takes what comes until all is there.
void takeAll(RequestQueue& queue, const Context& context, Operand operand, std::atomic<int>& wrong,
             std::atomic<bool>& all) {
  const int ranks = context.topology().ranks();
  std::vector<int> next(static_cast<std::size_t>(ranks), 0);
  for (int left = ranks * requestsOfARank; left > 0;) {
    TileRequest request{};
    if (!queue.take(operand, request)) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      continue;
    }
    --left;
    const bool known = request.source >= 0 && request.source < ranks;
    if (!known) {
      ++wrong;
      continue;
    }
    const TileRequest wanted =
        requestOf(request.source, context.rank(), operand, next[static_cast<std::size_t>(request.source)]++);
    if (request.tile != wanted.tile || request.filter != wanted.filter || request.product != wanted.product)
      ++wrong;
  }
  all = true;
}

void expectAllInOrder(RequestQueue& queue, const Context& context) {
  std::atomic<int> wrong{0};
  std::atomic<bool> allOfA{false}, allOfB{false};
  std::thread ofA([&] { takeAll(queue, context, Operand::A, wrong, allOfA); });
  std::thread ofB([&] { takeAll(queue, context, Operand::B, wrong, allOfB); });
  Waiting waiting;
  const int ranks = context.topology().ranks();
  for (int number = 0; number < requestsOfARank; ++number)
    for (int step = 0; step < ranks; ++step)
      for (const Operand operand : {Operand::A, Operand::B}) {
        const int owner = (context.rank() + step) % ranks;
        queue.put(owner, operand, requestOf(context.rank(), owner, operand, number), waiting);
      }
  waiting.until("wait", {"requests"}, {}, [&] { return allOfA && allOfB; });
  ofA.join();
  ofB.join();
  EXPECT_EQ(wrong, 0);
  watchedBarrier(context.comm(), "the end of a test");
}

TEST(RequestQueue, bringsEveryRequestOnceAndInOrder) {
  const Context& context = Context::of(MPI_COMM_WORLD, "1");
  for (const int slots : {1, 2, 7, 64}) {
    RmaRequestQueue queue(context, slots);
    if (!queue.valid()) GTEST_SKIP() << queue.refusal();
    SCOPED_TRACE(std::to_string(slots) + " slots");
    expectAllInOrder(queue, context);
  }
}

TEST(RequestQueue, ofMessagesBringsEveryRequestOnceAndInOrder) {
  const Context& context = Context::of(MPI_COMM_WORLD, "1");
  MessageRequestQueue queue(context);
  expectAllInOrder(queue, context);
}

}  // namespace
