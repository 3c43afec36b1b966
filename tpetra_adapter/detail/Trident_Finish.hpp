#ifndef TRIDENT_FINISH_HPP
#define TRIDENT_FINISH_HPP

#include <exception>
#include <string>
#include <vector>

#include "detail/Trident_CompleteC.hpp"
#include "detail/Trident_LocalRows.hpp"
#include "detail/Trident_ResultRows.hpp"
#include "multiply/Trident_ProductReport.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace detail {

/// A report that says who takes part and what was decided.
inline ProductReport reportOf(const Context& context, const Plan& plan) {
  ProductReport report;
  const Topology& topology = context.topology();
  report.ranks = topology.ranks();
  report.nodes = topology.nodes();
  report.rank = context.rank();
  report.node = context.node();
  for (int node = 0; node < topology.nodes(); ++node) report.ranksPerNode.push_back(topology.ranksOn(node));
  report.plan = plan;
  report.grid = plan.grid;
  report.rounds = plan.grid.rounds();
  report.filter = name(plan.filter);
  report.source = name(plan.source);
  return report;
}

/// A report that says why the product is handed back to Tpetra.
inline ProductReport reportOfHandBack(const Context& context, const std::string& reason) {
  ProductReport report;
  report.ranks = context.topology().ranks();
  report.rank = context.rank();
  report.handedBack = true;
  report.handBackReason = reason;
  return report;
}

/// C's rows by `assemble()`, unless something has failed already; sets `failure` if this fails. Collective
/// only if C's domain map is not consecutive.
template <class Types, class Assemble>
ResultRows<Types> assembleRows(const Assemble& assemble, int rank, std::string& failure) {
  if (failure.empty()) try {
      return assemble();
    } catch (const std::exception& error) {
      failure = "Trident: assembling C failed on rank " + std::to_string(rank) + ": " + error.what();
    }
  return {};
}

/// C is touched only when all ranks have their rows: throws on all if one has failed. `extra` is summed with
/// the rest. Collective.
template <class Types>
Settlement settleRows(const Context& context, const ResultRows<Types>& rows,
                      const typename Types::map_type& domain, std::vector<std::int64_t> extra,
                      const std::string& failure) {
  Settlement settled;
  settled.failures = failure.empty() ? 0 : 1;
  settled.longestRow = rows.longestRow();
  settled.entries = static_cast<std::int64_t>(rows.columns.extent(0));
  settled.otherColumns = static_cast<std::int64_t>(rows.otherGlobals.size());
  settled.columns = localSize(domain) + settled.otherColumns;
  settled.askers.assign(static_cast<std::size_t>(context.topology().ranks()), 0);
  for (const int owner : rows.others.owners) settled.askers[owner] = 1;
  settled.extra = std::move(extra);
  settled.settle(context.comm());
  if (settled.failures > 0) agreeOrThrow(context.comm(), failure);
  return settled;
}

}  // namespace detail
}  // namespace Trident

#endif
