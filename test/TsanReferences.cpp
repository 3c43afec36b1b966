// Shows ThreadSanitizer how references to views are counted, which it does not see in Kokkos' library. Where
// Kokkos has its Serial backend only, they are no atomics: two threads may not count at a time.
#include <Kokkos_Core.hpp>

#if KOKKOS_VERSION < 40000

namespace Kokkos::Impl {

// They take the places of those in Kokkos' library.

void SharedAllocationRecord<void, void>::increment(SharedAllocationRecord<void, void>* record) {
  ++record->m_count;
}

SharedAllocationRecord<void, void>* SharedAllocationRecord<void, void>::decrement(
    SharedAllocationRecord<void, void>* record) {
  if (--record->m_count > 0) return record;
  (*record->m_dealloc)(record);
  return nullptr;
}

}  // namespace Kokkos::Impl

#endif
