#include "exchange/Trident_RmaRequestQueue.hpp"

#include <algorithm>
#include <string>

#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

// The words of a ring: the next ticket, the number of requests taken, then slots of a stamp and a request.
constexpr std::int64_t tail = 0;
constexpr std::int64_t head = 1;
constexpr std::int64_t firstSlot = 2;
constexpr std::int64_t requestWords = sizeof(TileRequest) / sizeof(std::int64_t);
constexpr std::int64_t slotWords = 1 + requestWords;
constexpr std::int64_t lineWords = 8;
static_assert(sizeof(TileRequest) % sizeof(std::int64_t) == 0, "a request is whole words");

}  // namespace

RmaRequestQueue::RmaRequestQueue(const Context& context, int slots) : context_(context), slots_(slots) {
  for (Ring& ring : rings_) {
    refusal_ = makeWindow(ring);
    if (!refusal_.empty()) return;
  }
}

RmaRequestQueue::~RmaRequestQueue() {
  for (Ring& ring : rings_) {
    if (ring.window == MPI_WIN_NULL) continue;
    MPI_Win_unlock_all(ring.window);
    MPI_Win_free(&ring.window);
  }
}

// Memory that MPI allocates: with memory of ours, Open MPI's atomics wait for the target to enter MPI. In
// whole cache lines: MPICH 4.0 lays the windows of a machine's ranks over each other where their sizes are
// odd words.
std::string RmaRequestQueue::makeWindow(Ring& ring) {
  const std::int64_t used = firstSlot + slots_ * slotWords;
  const std::int64_t words = (used + lineWords - 1) / lineWords * lineWords;
  const auto bytes = words * static_cast<std::int64_t>(sizeof(Word));
  const int code = MPI_Win_allocate(static_cast<MPI_Aint>(bytes), sizeof(Word), MPI_INFO_NULL,
                                    context_.comm(), &ring.words, &ring.window);
  int granted = code == MPI_SUCCESS ? 1 : 0;
  int all = 0;
  checkMpi(watchedAllreduce(&granted, &all, 1, MPI_INT, MPI_MIN, context_.comm(), "the request queues"),
           "MPI_Allreduce");
  if (all == 0) {
    if (granted == 1) MPI_Win_free(&ring.window);
    ring.window = MPI_WIN_NULL;
    return "the MPI has no windows on this communicator";
  }
  std::fill_n(ring.words, words, Word{-1});
  ring.words[tail] = ring.words[head] = 0;
  MPI_Win_set_errhandler(ring.window, MPI_ERRORS_RETURN);
  checkMpi(MPI_Win_lock_all(0, ring.window), "MPI_Win_lock_all");
  checkMpi(MPI_Win_sync(ring.window), "MPI_Win_sync");
  checkMpi(watchedBarrier(context_.comm(), "the request queues"), "MPI_Barrier");
  return "";
}

RmaRequestQueue::Word RmaRequestQueue::slotOf(Word ticket) const {
  return firstSlot + ticket % slots_ * slotWords;
}

RmaRequestQueue::Word RmaRequestQueue::fetch(const Ring& ring, int rank, Word at) {
  Word nothing = 0;
  Word value = 0;
  checkMpi(MPI_Fetch_and_op(&nothing, &value, MPI_INT64_T, rank, at, MPI_NO_OP, ring.window),
           "MPI_Fetch_and_op");
  checkMpi(MPI_Win_flush(rank, ring.window), "MPI_Win_flush");
  return value;
}

RmaRequestQueue::Word RmaRequestQueue::fetchAndAdd(const Ring& ring, int rank, Word at, Word value) {
  Word before = 0;
  checkMpi(MPI_Fetch_and_op(&value, &before, MPI_INT64_T, rank, at, MPI_SUM, ring.window),
           "MPI_Fetch_and_op");
  checkMpi(MPI_Win_flush(rank, ring.window), "MPI_Win_flush");
  return before;
}

void RmaRequestQueue::store(const Ring& ring, int rank, Word at, Word value) {
  Word before = 0;
  checkMpi(MPI_Fetch_and_op(&value, &before, MPI_INT64_T, rank, at, MPI_REPLACE, ring.window),
           "MPI_Fetch_and_op");
  checkMpi(MPI_Win_flush(rank, ring.window), "MPI_Win_flush");
}

void RmaRequestQueue::put(int owner, Operand operand, const TileRequest& request, Waiting& waiting) {
  const Ring& ring = rings_[static_cast<std::size_t>(operand)];
  const Word ticket = fetchAndAdd(ring, owner, tail, 1);
  waiting.until("wait queue", {"a place in a queue of requests", owner}, {},
                [&] { return ticket - fetch(ring, owner, head) < slots_; });
  const Word slot = slotOf(ticket);
  checkMpi(MPI_Put(&request, sizeof(TileRequest), MPI_BYTE, owner, slot + 1, sizeof(TileRequest), MPI_BYTE,
                   ring.window),
           "MPI_Put");
  checkMpi(MPI_Win_flush(owner, ring.window), "MPI_Win_flush");
  store(ring, owner, slot, ticket);
}

bool RmaRequestQueue::take(Operand operand, TileRequest& request) {
  Ring& ring = rings_[static_cast<std::size_t>(operand)];
  const int self = context_.rank();
  const Word slot = slotOf(ring.taken);
  if (fetch(ring, self, slot) != ring.taken) return false;
  checkMpi(MPI_Win_sync(ring.window), "MPI_Win_sync");
  std::copy_n(reinterpret_cast<const char*>(ring.words + slot + 1), sizeof(TileRequest),
              reinterpret_cast<char*>(&request));
  ++ring.taken;
  store(ring, self, head, ring.taken);
  return true;
}

}  // namespace Trident
