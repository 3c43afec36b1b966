#ifndef TRIDENT_SHARED_WINDOW_HPP
#define TRIDENT_SHARED_WINDOW_HPP

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "topology/Trident_Context.hpp"

namespace Trident {

/// One MPI-3 shared window per node, kept with the context and reused by every product; it only grows.
class SharedWindow {
 public:
  explicit SharedWindow(const Context& context);
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  /// Makes the window at least `bytes` large; what was in it is lost. Collective over the node, `bytes` the
  /// same on all ranks. False on all ranks if the node cannot have so much, the old window then being kept.
  bool reserve(std::int64_t bytes);

  /// The window's memory, shared by the node's ranks, aligned for any type.
  char* data() const { return base_ + counterBytes(); }

  /// Counters that a rank of the node sets and all of them read, by which they wait for each other without a
  /// barrier. They only grow: a use of the window has numbers of its own, from its first() on.
  enum Counter { landed, released, counters };
  std::atomic<std::int64_t>& counter(int slice, Counter which) const;

  /// Begins the next use of the window; its number, the same on all ranks of the node. Local.
  std::int64_t nextUse() { return ++use_; }

  /// The value of a counter that stands for `step` of a use.
  static std::int64_t stepOf(std::int64_t use, std::int64_t step) { return (use << 32) + step; }
  static constexpr std::int64_t lastStep = 0xffffffff;

  /// What the ranks wrote before is visible to all of them after. Collective over the node.
  void synchronise();

 private:
  // Bytes a node may take: its share of half of what /dev/shm has free plus what it holds already.
  // Collective over the node; the same on all its ranks. 0 if its ranks do not share memory.
  std::int64_t allowance() const;

  void release();
  std::int64_t counterBytes() const;

  const Context* context_;
  MPI_Win window_ = MPI_WIN_NULL;
  char* base_ = nullptr;
  std::int64_t capacity_ = 0;
  std::int64_t use_ = 0;
};

}  // namespace Trident

#endif
