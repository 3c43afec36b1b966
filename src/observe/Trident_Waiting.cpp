#include "observe/Trident_Waiting.hpp"

#include <sched.h>

namespace Trident {
namespace {

// Completes what `start` began; `block` is the same call when nobody looks.
template <class Block, class Start>
int watched(const char* what, const Block& block, const Start& start) {
  const TraceSpan span("agree");
  if (!Watchdog::on()) return block();
  std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
  const int code = start(&requests.front());
  if (code != MPI_SUCCESS) return code;
  return waitForAll(requests, {what});
}

}  // namespace

void relax() { sched_yield(); }

int waitForAll(std::vector<MPI_Request>& requests, const Awaited& awaited) {
  if (!Watchdog::on())
    return MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  const Watchdog::Wait wait(awaited);
  for (int done = 0;;) {
    const int code =
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (code != MPI_SUCCESS || done != 0) return code;
    relax();
    Watchdog::ofProcess().look();
  }
}

int watchedBarrier(MPI_Comm comm, const char* what) {
  return watched(
      what, [&] { return MPI_Barrier(comm); },
      [&](MPI_Request* request) { return MPI_Ibarrier(comm, request); });
}

int watchedBroadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, const char* what) {
  return watched(
      what, [&] { return MPI_Bcast(data, count, type, root, comm); },
      [&](MPI_Request* request) { return MPI_Ibcast(data, count, type, root, comm, request); });
}

int watchedAllreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                     const char* what) {
  return watched(
      what, [&] { return MPI_Allreduce(from, to, count, type, op, comm); },
      [&](MPI_Request* request) { return MPI_Iallreduce(from, to, count, type, op, comm, request); });
}

int watchedAllgather(const void* from, int count, MPI_Datatype type, void* to, MPI_Comm comm,
                     const char* what) {
  return watched(
      what, [&] { return MPI_Allgather(from, count, type, to, count, type, comm); },
      [&](MPI_Request* request) {
        return MPI_Iallgather(from, count, type, to, count, type, comm, request);
      });
}

int watchedAllgatherv(const void* from, void* to, const std::vector<int>& counts,
                      const std::vector<int>& first, MPI_Datatype type, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const int own = counts[static_cast<std::size_t>(rank)];
  return watched(
      "the ranks of its node",
      [&] { return MPI_Allgatherv(from, own, type, to, counts.data(), first.data(), type, comm); },
      [&](MPI_Request* request) {
        return MPI_Iallgatherv(from, own, type, to, counts.data(), first.data(), type, comm, request);
      });
}

int watchedProbe(int tag, MPI_Comm comm, const char* what, MPI_Status& status) {
  if (!Watchdog::on()) return MPI_Probe(MPI_ANY_SOURCE, tag, comm, &status);
  const Watchdog::Wait wait({what});
  for (int here = 0;;) {
    const int code = MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &here, &status);
    if (code != MPI_SUCCESS || here != 0) return code;
    relax();
    Watchdog::ofProcess().look();
  }
}

}  // namespace Trident
