#ifndef TRIDENT_KOKKOS_KERNELS_PRODUCT_HPP
#define TRIDENT_KOKKOS_KERNELS_PRODUCT_HPP

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spgemm.hpp>
#if KOKKOS_VERSION >= 40000
#include <KokkosSparse_SortCrs.hpp>
#else
#include <KokkosKernels_Sorting.hpp>
#endif

#include "local/Trident_LocalProduct.hpp"

namespace Trident {

/// The local product by KokkosKernels, on any Kokkos device.
///
/// The rounds of a batch are fused by stacking: [A_1 A_2 ...] * [B_1; B_2; ...] is the sum over the rounds,
/// so one product does them all. B is stacked already; A's slices are stacked here, stored zeros left out.
template <class Types>
class KokkosKernelsProduct : public LocalProduct<Types> {
 public:
  const char* name() const override { return "kokkoskernels"; }

  CsrRows<Types> multiply(const LocalOperands<Types>& operands, const std::function<void()>& progress,
                          std::int64_t& multiplications) override {
    const CsrRows<Types> A = stack(operands);
    multiplications += countMultiplications(A, operands.B.rowPtr);
    progress();
    CsrRows<Types> C = spgemm(A, operands);
    progress();
    return C;
  }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;
  using Range = typename Types::Range;

  static CsrRows<Types> stack(const LocalOperands<Types>& operands) {
    const bool skipZeros = operands.skipZerosOfA;
    auto lengths = typename Types::Ordinals("Trident::local::A::rowLengths", operands.rows);
    for (const auto& A : operands.A)
      Kokkos::parallel_for(
          "Trident::local::stack::count", Range(0, operands.rows), KOKKOS_LAMBDA(const std::int64_t i) {
            for (std::size_t e = A.rowPtr(i); e < A.rowPtr(i + 1); ++e)
              if (!skipZeros || A.values(e) != Scalar(0)) ++lengths(i);
          });
    CsrRows<Types> stacked;
    stacked.rowPtr = rowPointers<Types>(lengths);
    const auto entries = static_cast<std::int64_t>(elementOf(stacked.rowPtr, operands.rows));
    stacked.columns = allocate<typename Types::Ordinals>("Trident::local::A::columns", entries);
    stacked.values = allocate<typename Types::Values>("Trident::local::A::values", entries);

    auto next = allocate<typename Types::Offsets>("Trident::local::stack::next", operands.rows + 1);
    Kokkos::deep_copy(next, stacked.rowPtr);
    const auto columns = stacked.columns;
    const auto values = stacked.values;
    for (const auto& A : operands.A) {
      const auto shift = static_cast<Ordinal>(A.firstRowOfB);
      Kokkos::parallel_for(
          "Trident::local::stack::fill", Range(0, operands.rows), KOKKOS_LAMBDA(const std::int64_t i) {
            for (std::size_t e = A.rowPtr(i); e < A.rowPtr(i + 1); ++e) {
              if (skipZeros && A.values(e) == Scalar(0)) continue;
              columns(next(i)) = A.columns(e) + shift;
              values(next(i)++) = A.values(e);
            }
          });
    }
    return stacked;
  }

  static std::int64_t countMultiplications(const CsrRows<Types>& A,
                                           const typename Types::ConstOffsets& rowPtrOfB) {
    std::int64_t count = 0;
    const auto columns = A.columns;
    Kokkos::parallel_reduce(
        "Trident::local::countMultiplications", Range(0, static_cast<std::int64_t>(columns.extent(0))),
        KOKKOS_LAMBDA(const std::int64_t e, std::int64_t& sum) {
          sum += static_cast<std::int64_t>(rowPtrOfB(columns(e) + 1) - rowPtrOfB(columns(e)));
        },
        count);
    return count;
  }

  static std::size_t elementOf(const typename Types::Offsets& offsets, std::int64_t index) {
    std::size_t element = 0;
    Kokkos::deep_copy(element, Kokkos::subview(offsets, index));
    return element;
  }

  static CsrRows<Types> spgemm(const CsrRows<Types>& A, const LocalOperands<Types>& operands) {
    using memory_space = typename Types::device_type::memory_space;
    using execution_space = typename Types::execution_space;
    using Handle =
        KokkosKernels::Experimental::KokkosKernelsHandle<std::size_t, Ordinal, Scalar, execution_space,
                                                         memory_space, memory_space>;
    const auto m = static_cast<Ordinal>(operands.rows);
    const auto n = static_cast<Ordinal>(operands.rowsOfB);
    const auto k = static_cast<Ordinal>(operands.width);
    CsrRows<Types> C;
    C.rowPtr = typename Types::Offsets("Trident::local::C::rowPtr", operands.rows + 1);
    if (m == 0 || n == 0 || k == 0 || A.columns.extent(0) == 0) return C;

    const auto rowPtrOfB =
        Kokkos::subview(operands.B.rowPtr, std::make_pair(std::int64_t{0}, operands.rowsOfB + 1));
    const typename Types::ConstOffsets rowPtrOfA = A.rowPtr;
    const typename Types::ConstOrdinals columnsOfA = A.columns;
    const typename Types::ConstValues valuesOfA = A.values;
    Handle handle;
    handle.create_spgemm_handle(KokkosSparse::SPGEMM_KK);
    KokkosSparse::Experimental::spgemm_symbolic(&handle, m, n, k, rowPtrOfA, columnsOfA, false, rowPtrOfB,
                                                operands.B.columns, false, C.rowPtr);
    const auto entries = static_cast<std::int64_t>(handle.get_spgemm_handle()->get_c_nnz());
    C.columns = allocate<typename Types::Ordinals>("Trident::local::C::columns", entries);
    C.values = allocate<typename Types::Values>("Trident::local::C::values", entries);
    KokkosSparse::Experimental::spgemm_numeric(&handle, m, n, k, rowPtrOfA, columnsOfA, valuesOfA, false,
                                               rowPtrOfB, operands.B.columns, operands.B.values, false,
                                               C.rowPtr, C.columns, C.values);
    handle.destroy_spgemm_handle();
    sortRows(C);
    return C;
  }

  static void sortRows(const CsrRows<Types>& C) {
    using execution_space = typename Types::execution_space;
#if KOKKOS_VERSION >= 40000
    KokkosSparse::sort_crs_matrix<execution_space>(C.rowPtr, C.columns, C.values);
#else
    KokkosKernels::Impl::sort_crs_matrix<execution_space>(C.rowPtr, C.columns, C.values);
#endif
  }
};

}  // namespace Trident

#endif
