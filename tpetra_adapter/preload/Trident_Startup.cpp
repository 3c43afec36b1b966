#include "preload/Trident_Startup.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "detail/Trident_ProductLog.hpp"
#include "preload/Trident_LoadedSymbols.hpp"

namespace Trident {
namespace detail {
namespace {

// MPI is not there yet, so the launcher's variables must do.
bool isFirstOfJob() {
  for (const char* name : {"PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return std::string(rank) == "0";
  return true;
}

}  // namespace

void leaveLdPreload() {
  const char* variable = std::getenv("LD_PRELOAD");
  if (variable == nullptr) return;
  const std::string entries = variable, own = ownFileName();
  std::string kept;
  for (std::size_t begin = 0; begin < entries.size();) {
    const std::size_t end = std::min(entries.find_first_of(": ", begin), entries.size());
    const std::string entry = entries.substr(begin, end - begin);
    begin = end + 1;
    if (entry.empty() || entry.substr(entry.find_last_of('/') + 1) == own) continue;
    kept += (kept.empty() ? "" : ":") + entry;
  }
  if (kept.empty())
    unsetenv("LD_PRELOAD");
  else
    setenv("LD_PRELOAD", kept.c_str(), 1);
}

void warnOfInactivity() {
  if (!isLogWanted() || !isFirstOfJob()) return;
  std::fprintf(stderr,
               "Trident: %s is loaded, but Tpetra's own products are found before it and are used; link "
               "Trident::preload before Tpetra, or start the program with trident-run\n",
               ownFileName().c_str());
}

}  // namespace detail
}  // namespace Trident
