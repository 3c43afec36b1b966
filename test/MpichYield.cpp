// MPICH waits for messages without ever giving its core away: with more ranks than cores, ranks that wait
// take the time of those that work (tstTiledProduct on 4 ranks and 2 cores: 42 s in place of 0.7 s). No
// setting of MPICH 4.0 changes that. Linked into the test programs, this stands in front of the function in
// which MPICH on UCX looks for messages, and yields whenever there were none, as Open MPI does by itself.
#include <mpi.h>

#ifdef MPICH_VERSION

#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned (*)(void*);
  static const auto next = reinterpret_cast<Progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned events = next(worker);
  if (events == 0) sched_yield();
  return events;
}

#endif
