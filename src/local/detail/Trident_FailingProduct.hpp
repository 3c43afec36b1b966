#ifndef TRIDENT_FAILING_PRODUCT_HPP
#define TRIDENT_FAILING_PRODUCT_HPP

#include <stdexcept>

#include "local/Trident_LocalProduct.hpp"

namespace Trident {
namespace detail {

/// A local product that throws, for tests of what the other ranks then do.
template <class Types>
class FailingProduct : public LocalProduct<Types> {
 public:
  const char* name() const override { return "failing"; }

  CsrRows<Types> multiply(const LocalOperands<Types>&, const std::function<void()>&, std::int64_t&) override {
    throw std::runtime_error("failure injected by \"trident: inject failure on rank\"");
  }
};

}  // namespace detail
}  // namespace Trident

#endif
