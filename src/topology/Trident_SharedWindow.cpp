#include "topology/Trident_SharedWindow.hpp"

#include <sys/statvfs.h>

#include <algorithm>

#include "observe/Trident_Waiting.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

// Bytes of all windows of this process. Pages that were never touched are free in the eyes of statvfs, though
// they are promised.
std::int64_t& promised() {
  static std::int64_t bytes = 0;
  return bytes;
}

}  // namespace

SharedWindow::SharedWindow(const Context& context) : context_(&context) {}

SharedWindow::~SharedWindow() { release(); }

void SharedWindow::release() {
  if (window_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
  promised() -= capacity_;
  base_ = nullptr;
  capacity_ = 0;
}

// A cache line for each rank, so that they do not write into each other's.
constexpr std::int64_t lineBytes = 64;

std::int64_t SharedWindow::counterBytes() const {
  return lineBytes * context_->topology().ranksOn(context_->node());
}

std::atomic<std::int64_t>& SharedWindow::counter(int slice, Counter which) const {
  static_assert(sizeof(std::atomic<std::int64_t>) == sizeof(std::int64_t) &&
                    std::atomic<std::int64_t>::is_always_lock_free,
                "counters are shared between processes");
  return reinterpret_cast<std::atomic<std::int64_t>*>(base_ + slice * lineBytes)[which];
}

// A window larger than /dev/shm is granted all the same and kills the first rank that touches the missing
// pages, so what is free is looked at first. The node's first rank looks for all: the figure moves.
std::int64_t SharedWindow::allowance() const {
  std::int64_t bytes = 0;
  if (context_->slice() == 0 && context_->sharesMemory()) {
    struct statvfs shm {};
    if (statvfs("/dev/shm", &shm) == 0) {
      const auto free = static_cast<std::int64_t>(shm.f_bavail) * static_cast<std::int64_t>(shm.f_frsize);
      const int ranks = context_->topology().ranksOn(context_->node());
      const std::int64_t share = free / 2 / context_->ranksOnMachine() * ranks;
      bytes = std::max<std::int64_t>(share - (promised() - capacity_), 0) + capacity_;
    }
  }
  checkMpi(watchedBroadcast(&bytes, 1, MPI_INT64_T, 0, context_->nodeComm(), "the node's shared window"),
           "MPI_Bcast");
  return bytes;
}

bool SharedWindow::reserve(std::int64_t bytes) {
  bytes += counterBytes();
  if (bytes <= capacity_) return true;
  if (bytes > allowance()) return false;
  release();
  void* own = nullptr;
  const MPI_Aint size = context_->slice() == 0 ? static_cast<MPI_Aint>(bytes) : 0;
  const int code = MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, context_->nodeComm(), &own, &window_);
  int granted = code == MPI_SUCCESS ? 1 : 0;
  int all = 0;
  checkMpi(
      watchedAllreduce(&granted, &all, 1, MPI_INT, MPI_MIN, context_->nodeComm(), "the node's shared window"),
      "MPI_Allreduce");
  if (all == 0) {
    if (granted == 1) MPI_Win_free(&window_);
    window_ = MPI_WIN_NULL;
    return false;
  }
  MPI_Aint queried = 0;
  int unit = 0;
  void* base = nullptr;
  checkMpi(MPI_Win_shared_query(window_, 0, &queried, &unit, &base), "MPI_Win_shared_query");
  checkMpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
  base_ = static_cast<char*>(base);
  capacity_ = bytes;
  promised() += bytes;
  for (const Counter which : {landed, released}) counter(context_->slice(), which) = stepOf(use_, lastStep);
  synchronise();
  return true;
}

void SharedWindow::synchronise() {
  checkMpi(MPI_Win_sync(window_), "MPI_Win_sync");
  checkMpi(watchedBarrier(context_->nodeComm(), "the ranks of its node"), "MPI_Barrier");
  checkMpi(MPI_Win_sync(window_), "MPI_Win_sync");
}

}  // namespace Trident
