#ifndef TRIDENT_PATTERN_CACHE_HPP
#define TRIDENT_PATTERN_CACHE_HPP

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>

#include "detail/Trident_EmptiedAtFinalize.hpp"
#include "detail/Trident_KeptProduct.hpp"

namespace Trident {
namespace detail {

/// The computations of products done lately on one communicator, for a new C of patterns known before: MueLu
/// makes its matrices anew in every set-up. It holds no maps, hence no communicator, and dies with the
/// communicator's context.
///
/// Products go by a number that stands for all ranks' fingerprints, and what is thrown out follows from
/// figures that are the same on all ranks: so all keep the same.
template <class Types>
class PatternCache : public EmptiedAtFinalize {
 public:
  using Computation = std::shared_ptr<KeptComputation<Types>>;

  explicit PatternCache(Context& /*context*/) {}

  void clear() override { kept_.clear(); }

  /// Whether products of this rank's print are known, and nobody has written into their patterns. Local.
  bool knows(std::uint64_t print) const {
    bool any = false;
    for (const Entry& entry : kept_) {
      if (entry.computation->print.number() != print) continue;
      if (!entry.computation->pattern.isIntact()) return false;
      any = true;
    }
    return any;
  }

  /// The computation of the product with this number; null if there is none. Used last from now on.
  Computation find(std::uint64_t number) {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Entry& entry) { return entry.number == number; });
    if (found == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, found);
    return found->computation;
  }

  /// Keeps a computation, and throws out those longest not used until all take at most `most` bytes, both of
  /// all ranks together. With the same arguments on all ranks, but for the computation.
  void keep(std::uint64_t number, const Computation& computation, std::int64_t bytes, std::int64_t most) {
    kept_.remove_if([&](const Entry& entry) { return entry.number == number; });
    kept_.push_front({number, computation, bytes});
    std::int64_t sum = 0;
    const auto tooMuch = [&](const Entry& entry) { return (sum += entry.bytes) > most; };
    kept_.erase(std::find_if(kept_.begin(), kept_.end(), tooMuch), kept_.end());
  }

 private:
  struct Entry {
    std::uint64_t number;
    Computation computation;
    std::int64_t bytes;
  };
  std::list<Entry> kept_;  // last used first
};

}  // namespace detail
}  // namespace Trident

#endif
