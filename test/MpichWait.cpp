// MPICH waits for messages without ever giving its core away: with more ranks than cores, ranks that wait
// take the time of those that work (tstTiledProduct on 4 ranks and 2 cores: 42 s in place of 0.7 s). No
// setting of MPICH 4.0 changes that. Linked into the test programs, this stands in front of the function in
// which MPICH on UCX looks for messages, and has a thread that found none five times yield, then nap.
//
// MPICH calls that function with a lock held, and other threads of the rank wait for the lock, some of them
// for seconds if the holder sleeps. So the thread rests in pthread_mutex_unlock, as soon as the lock is free.
#include <mpi.h>

#ifdef MPICH_VERSION

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

struct Idleness {
  bool mayRest = false;  // the last look found nothing
  int looks = 0;         // fruitless ones without anything else between them
  Clock::time_point lastRest;
};

thread_local Idleness idleness;

void rest() {
  idleness.mayRest = false;
  // A thread that does something else between two looks is not waiting.
  if (Clock::now() - idleness.lastRest > std::chrono::microseconds(20)) idleness.looks = 0;
  if (++idleness.looks <= 5)
    sched_yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  idleness.lastRest = Clock::now();
}

template <class Function>
Function nextDefinition(std::atomic<Function>& known, const char* name) {
  Function next = known.load(std::memory_order_relaxed);
  if (next == nullptr) {
    next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    known.store(next, std::memory_order_relaxed);
  }
  return next;
}

std::atomic<unsigned (*)(void*)> nextProgress{nullptr};
std::atomic<int (*)(pthread_mutex_t*)> nextUnlock{nullptr};

}  // namespace

extern "C" unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  if (idleness.mayRest) rest();  // without threads MPICH takes no lock
  const unsigned events = nextDefinition(nextProgress, "ucp_worker_progress")(worker);
  idleness.mayRest = events == 0;
  if (events != 0) idleness.looks = 0;
  return events;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  const int status = nextDefinition(nextUnlock, "pthread_mutex_unlock")(mutex);
  if (idleness.mayRest) rest();
  return status;
}

#endif
