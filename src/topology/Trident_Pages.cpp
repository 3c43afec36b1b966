#include "topology/Trident_Pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace Trident {
namespace {

// Advises on the whole pages of an array, if they are many.
void advise(void* data, std::int64_t bytes, int advice) {
  constexpr std::uintptr_t worthACall = std::uintptr_t{8} << 20;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end =
      (reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(bytes)) / page * page;
  if (end > begin + worthACall) madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

void adviseHugePages([[maybe_unused]] void* data, [[maybe_unused]] std::int64_t bytes) {
#ifdef MADV_HUGEPAGE
  advise(data, bytes, MADV_HUGEPAGE);
#endif
}

// On Linux the call takes effect at once; elsewhere it may not.
void releasePages([[maybe_unused]] void* data, [[maybe_unused]] std::int64_t bytes) {
#ifdef __linux__
  advise(data, bytes, MADV_DONTNEED);
#endif
}

}  // namespace Trident
