#ifndef TRIDENT_WAITING_HPP
#define TRIDENT_WAITING_HPP

#include <mpi.h>

#include <functional>
#include <vector>

#include "observe/Trident_Trace.hpp"
#include "observe/Trident_Watchdog.hpp"

namespace Trident {

/// Lets other threads and processes run; what a loop that waits does between two looks.
void relax();

/// Waits until all `requests` are complete; returns MPI's code. Blocks in MPI unless the watchdog is on.
int waitForAll(std::vector<MPI_Request>& requests, const Awaited& awaited);

// Collectives whose waits the watchdog sees. Without it they are MPI's own.

int watchedBarrier(MPI_Comm comm, const char* what);
int watchedBroadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, const char* what);
int watchedAllreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                     const char* what);
int watchedAllgather(const void* from, int count, MPI_Datatype type, void* to, MPI_Comm comm,
                     const char* what);

/// `first` and `counts` are of all ranks, in elements of `type`.
int watchedAllgatherv(const void* from, void* to, const std::vector<int>& counts,
                      const std::vector<int>& first, MPI_Datatype type, MPI_Comm comm);

/// Blocks until a message with `tag` is here from anybody.
int watchedProbe(int tag, MPI_Comm comm, const char* what, MPI_Status& status);

/// How a rank waits in the rounds of one product: meanwhile it serves others and does work of its own.
class Waiting {
 public:
  /// Called again and again in every wait: what others want of this rank, and MPI's progress.
  void serve(std::function<void()> service) { service_ = std::move(service); }

  /// Called while what is awaited is not there: a piece of work, a millisecond or so; false if there is none.
  void workOn(std::function<bool()> work) { work_ = std::move(work); }

  /// Returns when `done` does. `span` names the wait in a trace.
  template <class Done>
  void until(const char* span, const Awaited& awaited, const TraceTag& tag, const Done& done) {
    if (done()) return;
    const TraceSpan traced(span, tag);
    const Watchdog::Wait wait(awaited);
    const double begin = MPI_Wtime();
    for (;;) {
      if (service_) service_();
      if (done()) return;
      if (work_ && MPI_Wtime() - begin > patience && work_()) {
        Watchdog::ofProcess().progressed();
        continue;
      }
      relax();
      if (Watchdog::on()) Watchdog::ofProcess().look();
    }
  }

 private:
  // Seconds: what comes at once is better waited for.
  static constexpr double patience = 1e-4;

  std::function<void()> service_;
  std::function<bool()> work_;
};

}  // namespace Trident

#endif
