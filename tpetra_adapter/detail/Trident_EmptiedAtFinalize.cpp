#include "detail/Trident_EmptiedAtFinalize.hpp"

#include <Kokkos_Core.hpp>
#include <set>

namespace Trident {
namespace detail {
namespace {

// Never destroyed: communicators' attributes may go after static objects.
std::set<EmptiedAtFinalize*>& living() {
  static auto* const all = new std::set<EmptiedAtFinalize*>;
  return *all;
}

void emptyAll() {
  for (EmptiedAtFinalize* one : living()) one->clear();
}

}  // namespace

EmptiedAtFinalize::EmptiedAtFinalize() {
  static const bool hooked = (Kokkos::push_finalize_hook(emptyAll), true);
  static_cast<void>(hooked);
  living().insert(this);
}

EmptiedAtFinalize::~EmptiedAtFinalize() { living().erase(this); }

}  // namespace detail
}  // namespace Trident
