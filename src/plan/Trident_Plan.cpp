#include "plan/Trident_Plan.hpp"

#include <ostream>

namespace Trident {

const char* name(TileFilter filter) {
  if (filter == TileFilter::whole) return "whole";
  return filter == TileFilter::needed ? "needed" : "auto";
}

const char* name(TileSource source) {
  if (source == TileSource::owners) return "owners";
  return source == TileSource::tiles ? "tiles" : "auto";
}

const char* name(GatherKind kind) {
  if (kind == GatherKind::sharedWindow) return "shared window";
  return kind == GatherKind::allgatherv ? "allgatherv" : "auto";
}

const char* name(LocalKind kind) {
  if (kind == LocalKind::host) return "host";
  return kind == LocalKind::kokkosKernels ? "kokkoskernels" : "auto";
}

const char* name(EngineKind kind) {
  switch (kind) {
    case EngineKind::scheduled:
      return "scheduled";
    case EngineKind::requests:
      return "requests";
    case EngineKind::requestMessages:
      return "request messages";
    case EngineKind::bulkSynchronous:
      return "bulk synchronous";
    default:
      return "auto";
  }
}

const char* name(Overlap overlap) {
  if (overlap == Overlap::on) return "on";
  return overlap == Overlap::off ? "off" : "auto";
}

std::ostream& operator<<(std::ostream& out, const Plan& plan) {
  out << "grid            " << plan.grid << " nodes, " << plan.grid.rounds() << " rounds\n"
      << "tile filter     " << name(plan.filter) << '\n'
      << "tiles from      " << name(plan.source) << '\n';
  if (plan.partialRows) out << "A transposed    partial rows of C, summed in each node, go to their owners\n";
  out << "gather          " << name(plan.gather) << '\n'
      << "local product   " << name(plan.local) << '\n'
      << "engine          " << name(plan.engine) << '\n'
      << "overlap         " << name(plan.overlap) << '\n'
      << "panels          " << plan.panelsOrOne() << '\n'
      << "rounds ahead    " << plan.roundsAhead << '\n'
      << "rounds a batch  ";
  if (plan.roundsPerBatch > 0)
    out << plan.roundsPerBatch << '\n';
  else
    out << "as memory allows\n";
  if (plan.columnPhases > 1) out << "column phases   " << plan.columnPhases << '\n';
  const PlanPrediction& predicted = plan.predicted;
  if (predicted.giBytes >= 0) out << "Gi bytes        " << predicted.giBytes << " expected, all nodes\n";
  if (predicted.seconds >= 0) out << "seconds         " << predicted.seconds << " expected\n";
  if (predicted.memoryBytes >= 0) out << "memory bytes    at most " << predicted.memoryBytes << " a rank\n";
  out << "message bytes   at most " << plan.maxMessageBytes << '\n' << "window bytes    ";
  if (plan.windowBytes > 0) return out << "at most " << plan.windowBytes << '\n';
  return out << "as memory allows\n";
}

}  // namespace Trident
