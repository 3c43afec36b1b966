#ifndef TRIDENT_FAILING_PRODUCT_HPP
#define TRIDENT_FAILING_PRODUCT_HPP

#include <stdexcept>

#include "local/Trident_LocalProduct.hpp"

namespace Trident {
namespace detail {

/// A local product that throws where another would work, for tests of what the other ranks then do.
template <class Types>
class FailingProduct : public LocalProduct<Types> {
 public:
  explicit FailingProduct(bool fillsPatterns) : fillsPatterns_(fillsPatterns) {}

  const char* name() const override { return "failing"; }

  CsrRows<Types> multiply(const LocalOperands<Types>&, const std::function<void()>&, std::int64_t&) override {
    fail();
  }
  void multiplyInto(const KnownPattern<Types>&, const LocalOperands<Types>&, const std::function<void()>&,
                    std::int64_t&) override {
    fail();
  }
  bool fillsPatterns() const override { return fillsPatterns_; }

 private:
  [[noreturn]] static void fail() {
    throw std::runtime_error("failure injected by \"trident: inject failure on rank\"");
  }

  bool fillsPatterns_;
};

}  // namespace detail
}  // namespace Trident

#endif
