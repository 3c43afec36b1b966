#ifndef TRIDENT_TRIPLE_MATRIX_MULTIPLY_HPP
#define TRIDENT_TRIPLE_MATRIX_MULTIPLY_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>
#include <string>

namespace Trident {
namespace TripleMatrixMultiply {

/// Ac = op(R) * op(A) * op(P): Tpetra::TripleMatrixMultiply::MultiplyRAP, done by Trident.
///
/// Any R, with columns on other ranks too, and any state of Ac that MatrixMatrix::Multiply serves;
/// Tpetra 13.2 reads out of bounds for both. As there, Ac is fill complete afterwards whatever
/// `call_FillComplete_on_result` says.
///
/// Collective over A's communicator. Parameters and errors as for MatrixMatrix::Multiply. On several columns
/// of nodes ("trident: grid") it is a chain: nothing is kept, and nothing predicted in its report. Under a
/// memory budget or in column phases the report is that of op(R) * (A*P).
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void MultiplyRAP(const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& R, bool transposeR,
                 const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A, bool transposeA,
                 const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& P, bool transposeP,
                 Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& Ac,
                 bool call_FillComplete_on_result = true, const std::string& label = std::string(),
                 const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

}  // namespace TripleMatrixMultiply
}  // namespace Trident

#endif
