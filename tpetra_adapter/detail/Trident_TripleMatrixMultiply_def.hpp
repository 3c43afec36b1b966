#ifndef TRIDENT_TRIPLE_MATRIX_MULTIPLY_DEF_HPP
#define TRIDENT_TRIPLE_MATRIX_MULTIPLY_DEF_HPP

#include "Trident_MatrixMatrix.hpp"
#include "Trident_TripleMatrixMultiply.hpp"

namespace Trident {
namespace TripleMatrixMultiply {

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void MultiplyRAP(const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& R, bool transposeR,
                 const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A, bool transposeA,
                 const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& P, bool transposeP,
                 Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& Ac,
                 bool /* call_FillComplete_on_result */, const std::string& label,
                 const Teuchos::RCP<Teuchos::ParameterList>& params) {
  Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node> AP(
      transposeA ? A.getDomainMap() : A.getRowMap(), 0);
  MatrixMatrix::Multiply(A, transposeA, P, transposeP, AP, true, label, params);
  MatrixMatrix::Multiply(R, transposeR, AP, false, Ac, true, label, params);
}

}  // namespace TripleMatrixMultiply
}  // namespace Trident

/// Instantiates the triple product for one set of Tpetra template arguments.
#define TRIDENT_TRIPLE_MATRIX_MULTIPLY_INSTANT(SC, LO, GO, NO)                                        \
  template void Trident::TripleMatrixMultiply::MultiplyRAP<SC, LO, GO, NO>(                           \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool,       \
      const std::string&, const Teuchos::RCP<Teuchos::ParameterList>&);

#endif
