#ifndef TRIDENT_MEASURED_MACHINE_HPP
#define TRIDENT_MEASURED_MACHINE_HPP

#include "plan/Trident_CostModel.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {

/// Latency and bandwidth between nodes, measured once for a communicator (Context::attached): the first ranks
/// of neighbouring nodes play ping-pong, all pairs at the same time, and the slowest pair counts.
class MeasuredMachine {
 public:
  /// Collective over the context's communicator, some milliseconds.
  explicit MeasuredMachine(const Context& context);

  /// What is not measured (Li, the rate of multiplications) is of the preset "1gbit".
  const Machine& machine() const { return machine_; }

 private:
  Machine machine_;
};

}  // namespace Trident

#endif
