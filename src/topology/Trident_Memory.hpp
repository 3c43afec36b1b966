#ifndef TRIDENT_MEMORY_HPP
#define TRIDENT_MEMORY_HPP

#include <cstdint>

namespace Trident {

/// Bytes of this process that are in memory and its own: shared windows are left out. 0 where /proc does not
/// tell.
std::int64_t ownResidentBytes();

/// Bytes of memory that this machine has.
std::int64_t machineBytes();

/// Bytes of this machine that can be taken without swapping. 0 where /proc does not tell.
std::int64_t availableBytes();

}  // namespace Trident

#endif
