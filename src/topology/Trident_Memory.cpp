#include "topology/Trident_Memory.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace Trident {

std::int64_t ownResidentBytes() {
  std::ifstream in("/proc/self/statm");
  std::int64_t size = 0, resident = 0, shared = 0;
  if (!(in >> size >> resident >> shared)) return 0;
  return (resident - shared) * sysconf(_SC_PAGESIZE);
}

std::int64_t machineBytes() {
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::int64_t availableBytes() {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key;
    std::int64_t kib = 0;
    if (words >> key >> kib && key == "MemAvailable:") return kib * 1024;
  }
  return 0;
}

}  // namespace Trident
