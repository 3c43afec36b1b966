#ifndef TRIDENT_LOADED_SYMBOLS_HPP
#define TRIDENT_LOADED_SYMBOLS_HPP

#include <string>

namespace Trident {
namespace detail {

// What the dynamic linker made of the names that the preload library takes over.

/// The mangled name of a function that some loaded object exports; empty if none does.
std::string symbolName(const void* function);

/// Whether callers of that name reach the preload library.
bool isReplaced(const std::string& name);

/// The function that callers of that name would reach without the preload library; null if there is none.
void* originalOf(const std::string& name);

/// Whether the program, or a library that it was linked with, needs the library that holds `function`.
/// Libraries loaded by way of LD_PRELOAD do not count.
bool programNeeds(const void* function);

/// The file name, without its folder, of the preload library.
std::string ownFileName();

}  // namespace detail
}  // namespace Trident

#endif
