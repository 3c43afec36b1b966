#ifndef TRIDENT_TILED_MATRIX_DEF_HPP
#define TRIDENT_TILED_MATRIX_DEF_HPP

#include "Trident_TiledMatrix.hpp"
#include "detail/Trident_ChainProduct.hpp"

namespace Trident {

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename TiledMatrix<SC, LO, GO, NO>::map_type> TiledMatrix<SC, LO, GO, NO>::getRowMap()
    const {
  return state_->rowMap;
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename TiledMatrix<SC, LO, GO, NO>::map_type> TiledMatrix<SC, LO, GO, NO>::getDomainMap()
    const {
  return state_->domainMap;
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename TiledMatrix<SC, LO, GO, NO>::map_type> TiledMatrix<SC, LO, GO, NO>::getRangeMap()
    const {
  return state_->rangeMap;
}

template <class SC, class LO, class GO, class NO>
const ProductReport& TiledMatrix<SC, LO, GO, NO>::report() const {
  return state_->product->report();
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<typename TiledMatrix<SC, LO, GO, NO>::crs_matrix_type> TiledMatrix<SC, LO, GO, NO>::toCrsMatrix()
    const {
  return detail::toCrsMatrix(*state_);
}

template <class SC, class LO, class GO, class NO>
TiledMatrix<SC, LO, GO, NO> multiplyTiled(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                                          const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                                          const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using Types = detail::TpetraTypes<SC, LO, GO, NO>;
  return TiledMatrix<SC, LO, GO, NO>(detail::multiplyChain<Types>({&A, nullptr}, {&B, nullptr}, params));
}

template <class SC, class LO, class GO, class NO>
TiledMatrix<SC, LO, GO, NO> multiplyTiled(const TiledMatrix<SC, LO, GO, NO>& A,
                                          const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                                          const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using Types = detail::TpetraTypes<SC, LO, GO, NO>;
  return TiledMatrix<SC, LO, GO, NO>(
      detail::multiplyChain<Types>({nullptr, A.state().get()}, {&B, nullptr}, params));
}

template <class SC, class LO, class GO, class NO>
TiledMatrix<SC, LO, GO, NO> multiplyTiled(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                                          const TiledMatrix<SC, LO, GO, NO>& B,
                                          const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using Types = detail::TpetraTypes<SC, LO, GO, NO>;
  return TiledMatrix<SC, LO, GO, NO>(
      detail::multiplyChain<Types>({&A, nullptr}, {nullptr, B.state().get()}, params));
}

template <class SC, class LO, class GO, class NO>
TiledMatrix<SC, LO, GO, NO> multiplyTiled(const TiledMatrix<SC, LO, GO, NO>& A,
                                          const TiledMatrix<SC, LO, GO, NO>& B,
                                          const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using Types = detail::TpetraTypes<SC, LO, GO, NO>;
  return TiledMatrix<SC, LO, GO, NO>(
      detail::multiplyChain<Types>({nullptr, A.state().get()}, {nullptr, B.state().get()}, params));
}

}  // namespace Trident

/// Instantiates tiled matrices for one set of Tpetra template arguments.
#define TRIDENT_TILED_MATRIX_INSTANT(SC, LO, GO, NO)                                            \
  template class Trident::TiledMatrix<SC, LO, GO, NO>;                                          \
  template Trident::TiledMatrix<SC, LO, GO, NO> Trident::multiplyTiled<SC, LO, GO, NO>(         \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, const Tpetra::CrsMatrix<SC, LO, GO, NO>&,       \
      const Teuchos::RCP<Teuchos::ParameterList>&);                                             \
  template Trident::TiledMatrix<SC, LO, GO, NO> Trident::multiplyTiled<SC, LO, GO, NO>(         \
      const Trident::TiledMatrix<SC, LO, GO, NO>&, const Tpetra::CrsMatrix<SC, LO, GO, NO>&,    \
      const Teuchos::RCP<Teuchos::ParameterList>&);                                             \
  template Trident::TiledMatrix<SC, LO, GO, NO> Trident::multiplyTiled<SC, LO, GO, NO>(         \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, const Trident::TiledMatrix<SC, LO, GO, NO>&,    \
      const Teuchos::RCP<Teuchos::ParameterList>&);                                             \
  template Trident::TiledMatrix<SC, LO, GO, NO> Trident::multiplyTiled<SC, LO, GO, NO>(         \
      const Trident::TiledMatrix<SC, LO, GO, NO>&, const Trident::TiledMatrix<SC, LO, GO, NO>&, \
      const Teuchos::RCP<Teuchos::ParameterList>&);

#endif
