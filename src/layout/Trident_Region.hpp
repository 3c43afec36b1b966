#ifndef TRIDENT_REGION_HPP
#define TRIDENT_REGION_HPP

#include <Kokkos_Core.hpp>

namespace Trident {

/// A region that Kokkos' profiling tools show, from construction to destruction. Without a tool it costs next
/// to nothing. Names are paths: "Trident::multiply::round".
class Region {
 public:
  explicit Region(const char* name) { Kokkos::Profiling::pushRegion(name); }
  ~Region() { Kokkos::Profiling::popRegion(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};

}  // namespace Trident

#endif
