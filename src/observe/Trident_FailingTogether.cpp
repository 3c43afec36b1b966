#include "observe/Trident_FailingTogether.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "observe/Trident_Watchdog.hpp"
#include "observe/detail/Trident_SideMessages.hpp"

namespace Trident {
namespace {

constexpr double longestGrace = 30;

double grace() { return Watchdog::on() ? std::min(longestGrace, Watchdog::seconds() / 2) : longestGrace; }

// Whether a message has come from `rank` in time.
bool hears(int rank, MPI_Comm comm, double end) {
  char nothing = 0;
  while (!detail::takeFrom(rank, comm, detail::SideTag::failure, &nothing, 1)) {
    if (MPI_Wtime() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace

// Without memory of its own, which may be what has run out.
void endJob(MPI_Comm comm, const char* text) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::fprintf(stderr,
               "Trident: rank %d failed in a product in which other ranks wait for it, so the job ends: %s\n",
               rank, text);
  std::fflush(stderr);
  MPI_Abort(comm, 1);
  std::abort();
}

// A dissemination barrier: log2 of the ranks steps, each a message to a rank and one from another.
void awaitFailureOfAll(MPI_Comm comm, const char* what) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const double end = MPI_Wtime() + grace();
  const char nothing = 0;
  for (int step = 1; step < ranks; step *= 2) {
    detail::sendAndForget(&nothing, 1, (rank + step) % ranks, comm, detail::SideTag::failure);
    if (!hears((rank - step + ranks) % ranks, comm, end)) endJob(comm, what);
  }
}

}  // namespace Trident
