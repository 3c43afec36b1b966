#ifndef TRIDENT_LAZY_ARRAY_HPP
#define TRIDENT_LAZY_ARRAY_HPP

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace Trident {
namespace detail {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

/// A zeroed array whose pages are taken only when they are touched, so that one as wide as a matrix costs
/// what its rows reach.
template <class T>
using LazyArray = std::unique_ptr<T[], FreeMemory>;

/// Throws std::bad_alloc.
template <class T>
LazyArray<T> lazyArray(std::int64_t count) {
  void* memory = std::calloc(static_cast<std::size_t>(count), sizeof(T));
  if (memory == nullptr) throw std::bad_alloc();
  return LazyArray<T>(static_cast<T*>(memory));
}

}  // namespace detail
}  // namespace Trident

#endif
