#include "multiply/Trident_Prediction.hpp"

#include "plan/Trident_Traffic.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

std::vector<std::int64_t> summed(const Context& context, std::vector<std::int64_t> mine) {
  // The check does not know that std::int64_t is MPI_INT64_T whatever it is a typedef of.
  // NOLINTNEXTLINE(mpi-type-mismatch)
  checkMpi(MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_SUM,
                         context.comm()),
           "MPI_Allreduce");
  return mine;
}

// Sums a vector over the ranks of each node: [node * size + x].
std::vector<std::int64_t> byNode(const Context& context, const std::vector<std::int64_t>& mine) {
  const std::size_t size = mine.size();
  std::vector<std::int64_t> all(size * static_cast<std::size_t>(context.topology().nodes()), 0);
  for (std::size_t x = 0; x < size; ++x) all[static_cast<std::size_t>(context.node()) * size + x] = mine[x];
  return summed(context, std::move(all));
}

}  // namespace

void predictTraffic(const Context& context, const RankTally& tally, std::int64_t ordinalBytes,
                    std::int64_t scalarBytes, ProductReport& report) {
  const auto rows = byNode(context, {tally.rows});
  const NodeTally A{rows, byNode(context, tally.A)};
  const NodeTally B{byNode(context, {tally.inner}), byNode(context, tally.B)};
  const NodeTally C{rows, byNode(context, tally.C)};
  const WireSizes wire{ordinalBytes, ordinalBytes + scalarBytes};
  const auto at = [&report](Phase phase) -> std::vector<std::int64_t>& {
    return report.predictedGiBytes[static_cast<std::size_t>(phase)];
  };
  at(Phase::setup).assign(static_cast<std::size_t>(context.topology().nodes()), 0);
  at(Phase::convertA) = trafficOfConversion(report.grid, A, report.grid.rounds(), wire);
  at(Phase::convertB) = trafficOfConversion(report.grid, B, report.grid.cols, wire);
  at(Phase::multiplyA) = trafficOfA(report.grid, A, wire);
  at(Phase::multiplyB) = trafficOfB(report.grid, B, wire);
  if (report.filter == "needed") at(Phase::multiplyB) = summed(context, tally.needed);
  at(Phase::mapBackC) = trafficOfMapBack(report.grid, C, wire);
}

}  // namespace Trident
