// Stands in for Tpetra's products: explicit specialisations, for whatever types the installed Tpetra has,
// whose symbols the dynamic linker finds before Tpetra's weak ones.

#include <TpetraCore_ETIHelperMacros.h>

#include <TpetraExt_MatrixMatrix.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "Trident_MatrixMatrix.hpp"
#include "Trident_Preload.hpp"
#include "Trident_TripleMatrixMultiply.hpp"
#include "detail/Trident_StockProducts.hpp"
#include "detail/Trident_TpetraTypes.hpp"
#include "preload/Trident_LoadedSymbols.hpp"
#include "preload/Trident_Startup.hpp"

TPETRA_ETI_MANGLING_TYPEDEFS()

#define TRIDENT_REPLACE_PRODUCTS(SC, LO, GO, NO)                                                         \
  template <>                                                                                            \
  void Tpetra::MatrixMatrix::Multiply<SC, LO, GO, NO>(                                                   \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,                                       \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, bool transposeB, Tpetra::CrsMatrix<SC, LO, GO, NO>& C, \
      bool fill, const std::string& label, const Teuchos::RCP<Teuchos::ParameterList>& params) {         \
    Trident::MatrixMatrix::Multiply(A, transposeA, B, transposeB, C, fill, label, params);               \
  }                                                                                                      \
  template <>                                                                                            \
  void Tpetra::MatrixMatrix::Jacobi<SC, LO, GO, NO>(                                                     \
      SC omega, const Tpetra::Vector<SC, LO, GO, NO>& Dinv, const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,  \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, Tpetra::CrsMatrix<SC, LO, GO, NO>& C, bool fill,       \
      const std::string& label, const Teuchos::RCP<Teuchos::ParameterList>& params) {                    \
    Trident::MatrixMatrix::Jacobi(omega, Dinv, A, B, C, fill, label, params);                            \
  }

#define TRIDENT_REPLACE_TRIPLE_PRODUCT(SC, LO, GO, NO)                                                       \
  template <>                                                                                                \
  void Tpetra::TripleMatrixMultiply::MultiplyRAP<SC, LO, GO, NO>(                                            \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>& R, bool transposeR,                                           \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,                                           \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>& P, bool transposeP, Tpetra::CrsMatrix<SC, LO, GO, NO>& Ac,    \
      bool fill, const std::string& label, const Teuchos::RCP<Teuchos::ParameterList>& params) {             \
    Trident::TripleMatrixMultiply::MultiplyRAP(R, transposeR, A, transposeA, P, transposeP, Ac, fill, label, \
                                               params);                                                      \
  }

TPETRA_INSTANTIATE_SLGN(TRIDENT_REPLACE_PRODUCTS)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_REPLACE_TRIPLE_PRODUCT)

namespace Trident {
namespace detail {
namespace {

// Where Tpetra's functions lie is known only when the program is loaded, so their names are taken from what
// the dynamic linker made of references to them.
template <class... Arguments>
std::string nameOf(void (*function)(Arguments...)) {
  return symbolName(reinterpret_cast<const void*>(function));
}

template <class... Arguments>
[[noreturn]] void isMissing(Arguments...) {
  throw std::runtime_error(
      "Trident: this product is handed back to Tpetra, but Tpetra's own function is not in the process: it "
      "was "
      "linked statically. Link Trilinos as shared libraries, or leave libtrident_preload.so out.");
}

// Puts the original behind `function`, which still leads to us. Returns its name.
template <class... Arguments>
std::string restore(void (*&function)(Arguments...)) {
  std::string name = nameOf(function);
  void* original = originalOf(name);
  function =
      original == nullptr ? &isMissing<Arguments...> : reinterpret_cast<void (*)(Arguments...)>(original);
  return name;
}

template <class SC, class LO, class GO, class NO>
void restoreStock(std::vector<std::string>& names) {
  auto& stock = StockProducts<TpetraTypes<SC, LO, GO, NO>>::get();
  names.push_back(restore(stock.multiply));
  names.push_back(restore(stock.jacobi));
}

template <class SC, class LO, class GO, class NO>
void addTripleProduct(std::vector<std::string>& names) {
  using Matrix = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using List = Teuchos::RCP<Teuchos::ParameterList>;
  void (*function)(const Matrix&, bool, const Matrix&, bool, const Matrix&, bool, Matrix&, bool,
                   const std::string&, const List&) = &Tpetra::TripleMatrixMultiply::MultiplyRAP;
  names.push_back(nameOf(function));
}

#define TRIDENT_RESTORE_STOCK(SC, LO, GO, NO) restoreStock<SC, LO, GO, NO>(all);
#define TRIDENT_ADD_TRIPLE_PRODUCT(SC, LO, GO, NO) addTripleProduct<SC, LO, GO, NO>(all);

// The mangled names that this library replaces. The first call puts the originals where the adapter looks for
// them.
const std::vector<std::string>& replacedNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    TPETRA_INSTANTIATE_SLGN(TRIDENT_RESTORE_STOCK)
    TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_ADD_TRIPLE_PRODUCT)
    return all;
  }();
  return names;
}

// Before main(), and before any product. In programs without Tpetra that only start others (mpirun and its
// daemons, shells, env) LD_PRELOAD stays as it is: it is meant for a program further down.
__attribute__((constructor)) void start() {
  const std::vector<std::string>& names = replacedNames();
  if (names.empty() || !programNeeds(originalOf(names.front()))) return;
  leaveLdPreload();
  if (trident_is_active() == 0) warnOfInactivity();
}

}  // namespace
}  // namespace detail
}  // namespace Trident

int trident_is_active() {
  const auto& names = Trident::detail::replacedNames();
  return std::all_of(names.begin(), names.end(), Trident::detail::isReplaced) ? 1 : 0;
}
