#ifndef TRIDENT_STACK_KERNELS_HPP
#define TRIDENT_STACK_KERNELS_HPP

#include <cstdint>

#include "local/Trident_LocalProduct.hpp"

namespace Trident {
namespace detail {

// Free functions, because nvcc takes no device lambda in a private member function.

/// One offset, wherever the device keeps it.
template <class Types>
std::size_t elementOf(const typename Types::ConstOffsets& offsets, std::int64_t index) {
  std::size_t element = 0;
  Kokkos::deep_copy(element, Kokkos::subview(offsets, index));
  return element;
}

/// A's slices of a batch side by side, their columns counted through the batch; stored zeros left out if they
/// are to be skipped.
template <class Types>
CsrRows<Types> stackedRounds(const LocalOperands<Types>& operands) {
  using Ordinal = typename Types::ordinal_type;
  using Scalar = typename Types::scalar_type;
  const bool skipZeros = operands.skipZerosOfA;
  auto lengths = typename Types::Ordinals("Trident::local::A::rowLengths", operands.rows);
  for (const auto& A : operands.A)
    Kokkos::parallel_for(
        "Trident::local::stack::count", typename Types::Range(0, operands.rows),
        KOKKOS_LAMBDA(const std::int64_t i) {
          for (std::size_t e = A.rowPtr(i); e < A.rowPtr(i + 1); ++e)
            if (!skipZeros || A.values(e) != Scalar(0)) ++lengths(i);
        });
  CsrRows<Types> stacked;
  stacked.rowPtr = rowPointers<Types>(lengths);
  const auto entries = static_cast<std::int64_t>(elementOf<Types>(stacked.rowPtr, operands.rows));
  stacked.columns = allocate<typename Types::Ordinals>("Trident::local::A::columns", entries);
  stacked.values = allocate<typename Types::Values>("Trident::local::A::values", entries);

  auto next = allocate<typename Types::Offsets>("Trident::local::stack::next", operands.rows + 1);
  Kokkos::deep_copy(next, stacked.rowPtr);
  const auto columns = stacked.columns;
  const auto values = stacked.values;
  for (const auto& A : operands.A) {
    const auto shift = static_cast<Ordinal>(A.firstRowOfB);
    Kokkos::parallel_for(
        "Trident::local::stack::fill", typename Types::Range(0, operands.rows),
        KOKKOS_LAMBDA(const std::int64_t i) {
          for (std::size_t e = A.rowPtr(i); e < A.rowPtr(i + 1); ++e) {
            if (skipZeros && A.values(e) == Scalar(0)) continue;
            columns(next(i)) = A.columns(e) + shift;
            values(next(i)++) = A.values(e);
          }
        });
  }
  return stacked;
}

/// Scalar multiplications of A * B.
template <class Types>
std::int64_t countMultiplications(const CsrRows<Types>& A, const typename Types::ConstOffsets& rowPtrOfB) {
  std::int64_t count = 0;
  const auto columns = A.columns;
  Kokkos::parallel_reduce(
      "Trident::local::countMultiplications",
      typename Types::Range(0, static_cast<std::int64_t>(columns.extent(0))),
      KOKKOS_LAMBDA(const std::int64_t e, std::int64_t& sum) {
        sum += static_cast<std::int64_t>(rowPtrOfB(columns(e) + 1) - rowPtrOfB(columns(e)));
      },
      count);
  return count;
}

}  // namespace detail
}  // namespace Trident

#endif
