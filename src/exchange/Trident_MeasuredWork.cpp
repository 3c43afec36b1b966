#include "exchange/Trident_MeasuredWork.hpp"

#include <algorithm>
#include <ctime>

#include "observe/Trident_Waiting.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

// Seconds of this thread on its core.
double used() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

// All begin together, and the last one's end counts: on a shared core one rank may well work undisturbed
// while the others wait for it.
MeasuredWork::MeasuredWork(const Context& context) {
  constexpr double work = 3e-3;
  constexpr const char* what = "the measurement of the cores";
  checkMpi(watchedBarrier(context.comm(), what), "MPI_Barrier");
  const double begin = MPI_Wtime();
  const double end = used() + work;
  while (used() < end) continue;
  checkMpi(watchedBarrier(context.comm(), what), "MPI_Barrier");
  double seconds = MPI_Wtime() - begin;
  checkMpi(watchedAllreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, context.comm(), what),
           "MPI_Allreduce");
  share_ = std::min(work / seconds, 1.0);
}

}  // namespace Trident
