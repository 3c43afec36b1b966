#ifndef TRIDENT_SHARED_WINDOW_HPP
#define TRIDENT_SHARED_WINDOW_HPP

#include <mpi.h>

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

  /// The window's memory, shared by the node's ranks.
  char* data() const { return base_; }

  /// What the ranks wrote before is visible to all of them after. Collective over the node.
  void synchronise();

 private:
  // Bytes a node may take: its share of half of what /dev/shm has free plus what it holds already.
  // Collective over the node; the same on all its ranks. 0 if its ranks do not share memory.
  std::int64_t allowance() const;

  void release();

  const Context* context_;
  MPI_Win window_ = MPI_WIN_NULL;
  char* base_ = nullptr;
  std::int64_t capacity_ = 0;
};

}  // namespace Trident

#endif
