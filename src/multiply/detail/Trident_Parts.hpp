#ifndef TRIDENT_PARTS_HPP
#define TRIDENT_PARTS_HPP

#include <cstdio>
#include <memory>
#include <string>

#include "exchange/Trident_BulkSynchronousExchange.hpp"
#include "exchange/Trident_RequestExchange.hpp"
#include "exchange/Trident_ScheduledExchange.hpp"
#include "exchange/detail/Trident_FaultyExchange.hpp"
#include "gather/Trident_AllgathervGather.hpp"
#include "gather/Trident_SharedWindowGather.hpp"
#include "local/Trident_HostProduct.hpp"
#include "local/Trident_KokkosKernelsProduct.hpp"
#include "local/detail/Trident_FailingProduct.hpp"
#include "plan/Trident_Plan.hpp"
#include "topology/Trident_Memory.hpp"

namespace Trident {
namespace detail {

// The parts of a product that the plan or the machine decides between.

template <class Types>
constexpr bool onHost =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Types::device_type::memory_space>::accessible;

/// What a node may hold of B at a time if nothing is said: a quarter of the machine's memory, shared by its
/// ranks as B is by the ranks of a node.
inline std::int64_t batchBytes(const Context& context) {
  return machineBytes() / 4 / context.ranksOnMachine();
}

/// One line on stderr for a process, from the first rank of the node.
inline void sayOnce(const Context& context, std::int64_t bytes) {
  static bool said = false;
  if (context.slice() == 0 && !said)
    std::fprintf(stderr,
                 "Trident: /dev/shm has no room for a window of %lld bytes on node %d: its ranks gather by "
                 "messages, each with a copy; a larger /dev/shm makes products faster\n",
                 static_cast<long long>(bytes), context.node());
  said = true;
}

/// Cuts the rounds into batches and makes the gather: one shared window where the node's ranks share host
/// memory and /dev/shm has room for a batch; the Allgatherv otherwise, with the reason in `name`. A node of
/// one rank has nothing to share. The batches are the same either way and depend on nothing that changes from
/// run to run: a local product that cannot continue sums adds up batches. Collective over the node.
template <class Types>
std::unique_ptr<TileGather<Types>> makeGather(const Plan& plan, GatherLayout& layout,
                                              const GatherParts<Types>& parts, std::string& name) {
  Context& context = parts.channel.context();
  const std::int64_t most = plan.windowBytes > 0 ? plan.windowBytes : batchBytes(context);
  layout.cutIntoBatches(AllgathervGather<Types>::sizes(), {most, plan.roundsPerBatch});
  name = "allgatherv";
  if constexpr (onHost<Types>) {
    const bool alone = context.topology().ranksOn(context.node()) == 1;
    if (plan.gather == GatherKind::sharedWindow || (plan.gather == GatherKind::automatic && !alone)) {
      auto& window = context.template attached<SharedWindow>();
      const std::int64_t bytes = SharedWindowGather<Types>::windowBytes(layout);
      const bool small = plan.windowBytes == 0 || bytes <= plan.windowBytes;
      if (small && window.reserve(bytes)) {
        name = "shared window";
        return std::make_unique<SharedWindowGather<Types>>(window, layout, parts);
      }
      name += " (a window of " + std::to_string(bytes) +
              " bytes is more than /dev/shm or \"trident: window bytes\" can give this node)";
      if (small && context.sharesMemory()) sayOnce(context, bytes);
    }
  }
  return std::make_unique<AllgathervGather<Types>>(layout, parts);
}

/// The engine that brings tiles. Collective over the context's communicator where the request queues are
/// used for the first time.
template <class Types>
std::unique_ptr<TileExchange<Types>> makeExchange(const typename RoundExchange<Types>::Parts& parts,
                                                  const Plan& plan, const RoundTraffic<Types>& traffic) {
  std::unique_ptr<RoundExchange<Types>> exchange;
  if (plan.engine == EngineKind::bulkSynchronous) {
    exchange = std::make_unique<BulkSynchronousExchange<Types>>(parts, plan.grid, traffic);
  } else if (plan.engine == EngineKind::requests || plan.engine == EngineKind::requestMessages) {
    if constexpr (onHost<Types>) exchange = std::make_unique<RequestExchange<Types>>(parts, traffic, plan);
  }
  if (!exchange)
    exchange = std::make_unique<ScheduledExchange<Types>>(parts, plan.grid, traffic, plan.roundsAhead);
  const int rank = parts.channel.context().rank();
  if (plan.faults.withholdingRank == rank || plan.faults.withholdingRank == -2)
    exchange->sendsOfB().withholdOne();
  if (plan.faults.unpackingRank == rank) exchange->sendsOfB().failToPackOne();
  if (plan.faults.dyingRank == rank || plan.faults.throwingRank == rank || plan.faults.roundSeconds > 0)
    return std::make_unique<FaultyExchange<Types>>(std::move(exchange), plan.faults, parts.channel.context());
  return exchange;
}

template <class Types>
std::unique_ptr<LocalProduct<Types>> makeLocalProduct(const Plan& plan, int rank) {
  std::unique_ptr<LocalProduct<Types>> product;
  if constexpr (onHost<Types>) {
    const bool host = plan.local == LocalKind::host || (plan.local == LocalKind::automatic &&
                                                        typename Types::execution_space().concurrency() == 1);
    if (host) product = std::make_unique<HostProduct<Types>>();
  }
  if (!product) product = std::make_unique<KokkosKernelsProduct<Types>>();
  if (plan.faults.failingRank == rank)
    product = std::make_unique<FailingProduct<Types>>(product->fillsPatterns());
  return product;
}

}  // namespace detail
}  // namespace Trident

#endif
