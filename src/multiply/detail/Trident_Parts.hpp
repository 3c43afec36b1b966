#ifndef TRIDENT_PARTS_HPP
#define TRIDENT_PARTS_HPP

#include <memory>
#include <string>

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

/// Cuts the rounds into batches and makes the gather: one shared window where the node's ranks share host
/// memory and /dev/shm has room for a batch; the Allgatherv otherwise, with the reason in `name`. A node of
/// one rank has nothing to share. The batches are the same either way and depend on nothing that changes from
/// run to run, for they decide the order of summation. Collective over the node.
template <class Types>
std::unique_ptr<TileGather<Types>> makeGather(Channel& channel, const Plan& plan, GatherLayout& layout,
                                              const BroughtRows<Types>& brought, std::string& name) {
  Context& context = channel.context();
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
        return std::make_unique<SharedWindowGather<Types>>(window, layout, brought);
      }
      name += " (a window of " + std::to_string(bytes) +
              " bytes is more than /dev/shm or \"trident: window bytes\" can give this node)";
    }
  }
  return std::make_unique<AllgathervGather<Types>>(channel, layout, brought);
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
  if (plan.injectFailureOnRank == rank)
    product = std::make_unique<FailingProduct<Types>>(product->fillsPatterns());
  return product;
}

}  // namespace detail
}  // namespace Trident

#endif
