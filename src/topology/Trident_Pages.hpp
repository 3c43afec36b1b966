#ifndef TRIDENT_PAGES_HPP
#define TRIDENT_PAGES_HPP

#include <cstdint>

namespace Trident {

// Hints to the kernel on the pages of large arrays; no-ops where it takes none.

/// Huge pages for an array that is about to be filled front to back: one page fault for 2 MiB instead of 512
/// (a third of the time of a sparse product otherwise).
void adviseHugePages(void* data, std::int64_t bytes);

/// Gives the pages of an array back whose contents nobody wants any more; the memory stays allocated.
void releasePages(void* data, std::int64_t bytes);

}  // namespace Trident

#endif
