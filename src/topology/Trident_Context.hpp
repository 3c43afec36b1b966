#ifndef TRIDENT_CONTEXT_HPP
#define TRIDENT_CONTEXT_HPP

#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <typeindex>

#include "topology/Trident_Topology.hpp"

namespace Trident {

/// Everything Trident keeps for one communicator and one topology: a duplicate of the communicator, the
/// node's communicator, and what the layers above attach.
///
/// Made once, at the first product on a communicator, and freed with it (it hangs on the communicator as an
/// MPI attribute), or in MPI_Finalize, whichever comes first.
class Context {
 public:
  /// The context of `comm` with the node sizes `forced` lists (see Topology::forced), or with the real nodes
  /// if it is empty. Collective over `comm` the first time, local afterwards. Throws what Topology::forced
  /// throws.
  static Context& of(MPI_Comm comm, const std::string& forced);

  Context(MPI_Comm comm, const std::string& forced);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  MPI_Comm comm() const { return comm_; }

  /// The ranks of this rank's node, in slice order.
  MPI_Comm nodeComm() const { return nodeComm_; }

  const Topology& topology() const { return topology_; }
  int rank() const { return rank_; }
  int node() const { return topology_.nodeOf(rank_); }
  int slice() const { return topology_.sliceOf(rank_); }

  /// Whether all ranks of this rank's node really share memory (a forced node may span machines).
  bool sharesMemory() const { return sharesMemory_; }

  /// Ranks of the communicator on this machine: with forced nodes, several nodes share it.
  int ranksOnMachine() const { return ranksOnMachine_; }

  /// State that a layer above keeps with the communicator, made on first use as T(*this). It is destroyed, in
  /// no given order, before the communicators are freed.
  template <class T>
  T& attached() {
    std::shared_ptr<void>& slot = attached_[std::type_index(typeid(T))];
    if (!slot) slot = std::make_shared<T>(*this);
    return *static_cast<T*>(slot.get());
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm nodeComm_ = MPI_COMM_NULL;
  int rank_ = 0;
  bool sharesMemory_ = false;
  int ranksOnMachine_ = 1;
  Topology topology_;
  std::map<std::type_index, std::shared_ptr<void>> attached_;
};

}  // namespace Trident

#endif
