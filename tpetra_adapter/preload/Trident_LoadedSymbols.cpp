#include "preload/Trident_LoadedSymbols.hpp"

#include <dlfcn.h>
#include <link.h>

#include <map>
#include <set>
#include <vector>

namespace Trident {
namespace detail {
namespace {

// Something of this library that nobody else can define.
const char self = 0;

std::string fileName(const char* path) {
  const std::string text = path == nullptr ? "" : path;
  return text.substr(text.find_last_of('/') + 1);
}

const void* baseOf(const void* address) {
  Dl_info info;
  return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

// A program that is not position independent has a stub for each function whose address it takes, which
// stands for the function everywhere. Then it is the stub that the linker gives out, not who is behind it.
bool isStub(const void* address) {
  Dl_info info;
  void* entry = nullptr;
  if (address == nullptr || dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr)
    return false;
  return static_cast<const ElfW(Sym)*>(entry)->st_shndx == SHN_UNDEF;
}

// File names of the libraries that an object was linked with.
std::vector<std::string> neededBy(const link_map& object) {
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  // The dynamic linker turns the offset into an address, but not on every architecture.
  if (reinterpret_cast<ElfW(Addr)>(strings) < object.l_addr) strings += object.l_addr;
  std::vector<std::string> names;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED) names.push_back(fileName(strings + entry->d_un.d_val));
  return names;
}

// The program, first in the list of all that is loaded; null if it cannot be found.
const link_map* program() {
  void* handle = dlopen(nullptr, RTLD_LAZY);
  if (handle == nullptr) return nullptr;
  link_map* first = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &first) != 0) first = nullptr;
  dlclose(handle);
  return first;
}

}  // namespace

std::string symbolName(const void* function) {
  Dl_info info;
  const bool found = dladdr(function, &info) != 0 && info.dli_saddr == function;
  return found ? info.dli_sname : "";
}

bool isReplaced(const std::string& name) {
  if (name.empty()) return false;
  const void* found = dlsym(RTLD_DEFAULT, name.c_str());
  // Behind a stub: whoever comes first, which is not this library if nobody comes after it.
  return isStub(found) ? dlsym(RTLD_NEXT, name.c_str()) != nullptr : baseOf(found) == baseOf(&self);
}

void* originalOf(const std::string& name) {
  if (name.empty()) return nullptr;
  void* found = isReplaced(name) ? nullptr : dlsym(RTLD_DEFAULT, name.c_str());
  return found != nullptr ? found : dlsym(RTLD_NEXT, name.c_str());
}

bool programNeeds(const void* function) {
  Dl_info info;
  void* holder = nullptr;
  if (function == nullptr || dladdr1(function, &info, &holder, RTLD_DL_LINKMAP) == 0) return false;
  const link_map* first = program();
  std::map<std::string, const link_map*> loaded;
  for (const link_map* object = first; object != nullptr; object = object->l_next)
    loaded.emplace(fileName(object->l_name), object);

  std::vector<const link_map*> open{first};
  std::set<const link_map*> seen{nullptr};
  while (!open.empty()) {
    const link_map* object = open.back();
    open.pop_back();
    if (!seen.insert(object).second) continue;
    if (object == holder) return true;
    for (const std::string& name : neededBy(*object))
      if (const auto found = loaded.find(name); found != loaded.end()) open.push_back(found->second);
  }
  return false;
}

std::string ownFileName() {
  Dl_info info;
  return dladdr(&self, &info) != 0 ? fileName(info.dli_fname) : "";
}

}  // namespace detail
}  // namespace Trident
