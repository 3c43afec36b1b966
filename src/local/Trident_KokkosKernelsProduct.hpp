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
#include "local/detail/Trident_StackKernels.hpp"

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
    const CsrRows<Types> A = detail::stackedRounds<Types>(operands);
    multiplications += detail::countMultiplications<Types>(A, operands.B.rowPtr);
    progress();
    CsrRows<Types> C = spgemm(A, operands);
    progress();
    return C;
  }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

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
    const auto entriesOfB =
        std::make_pair(std::size_t{0}, detail::elementOf<Types>(operands.B.rowPtr, operands.rowsOfB));
    const typename Types::ConstOrdinals columnsOfB = Kokkos::subview(operands.B.columns, entriesOfB);
    const typename Types::ConstValues valuesOfB = Kokkos::subview(operands.B.values, entriesOfB);
    const typename Types::ConstOffsets rowPtrOfA = A.rowPtr;
    const typename Types::ConstOrdinals columnsOfA = A.columns;
    const typename Types::ConstValues valuesOfA = A.values;
    Handle handle;
    handle.create_spgemm_handle(KokkosSparse::SPGEMM_KK);
    KokkosSparse::Experimental::spgemm_symbolic(&handle, m, n, k, rowPtrOfA, columnsOfA, false, rowPtrOfB,
                                                columnsOfB, false, C.rowPtr);
    const auto entries = static_cast<std::int64_t>(handle.get_spgemm_handle()->get_c_nnz());
    C.columns = allocate<typename Types::Ordinals>("Trident::local::C::columns", entries);
    C.values = allocate<typename Types::Values>("Trident::local::C::values", entries);
    KokkosSparse::Experimental::spgemm_numeric(&handle, m, n, k, rowPtrOfA, columnsOfA, valuesOfA, false,
                                               rowPtrOfB, columnsOfB, valuesOfB, false, C.rowPtr, C.columns,
                                               C.values);
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
