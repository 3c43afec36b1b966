#ifndef TRIDENT_MATRIX_MATRIX_HPP
#define TRIDENT_MATRIX_MATRIX_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>
#include <Tpetra_Vector_decl.hpp>
#include <string>

namespace Trident {

/// The parameters of ours that a product reads, with their defaults and one line of documentation each.
///
/// They may stand at the top level of the list given to a product or in its sublist
/// "matrixmatrix: kernel params". Names that do not start with "trident:" are not ours and are ignored.
Teuchos::RCP<const Teuchos::ParameterList> getValidParameters();

namespace MatrixMatrix {

/// C = op(A) * op(B): Tpetra::MatrixMatrix::Multiply, done by Trident. Same arguments, same result.
///
/// A and B must be fill complete. C must have op(A)'s row map, on the same communicator. C may be new (its
/// pattern is computed), have a graph already (only values are computed; the graph must hold the product's
/// pattern), or be left without fillComplete() (`call_FillComplete_on_result` false: entries are inserted, or
/// summed into a graph that exists).
///
/// With C's graph a product keeps what it can use again: Multiply of the same patterns into the same C sends
/// values only ("trident: reuse"), and so does a product of the same patterns into a new C, as far as the
/// communicator keeps them ("trident: pattern memory"). "trident: memory budget" computes C in column phases.
///
/// Collective over A's communicator, which is duplicated once and kept until it is freed. A and B are read
/// in place and not kept. `params` may be null; of Tpetra's own names "compute global constants" is read,
/// ours are listed by getValidParameters(), and "trident: report" (an RCP<ProductReport>) is filled in.
/// Arguments and parameters must be the same on all ranks, a report asked for on all or none.
///
/// A product of maps that give an index to several ranks (locally replicated ones) is handed back to Tpetra;
/// the report says so.
///
/// Throws on every rank, with the same text and with C unchanged (but where entries are inserted into a C
/// that has no room for them): std::runtime_error for inputs Tpetra refuses too, for a C whose rows lie
/// elsewhere, for maps of different communicators, for an entry that C's graph lacks and for a failure of one
/// rank's local work; std::invalid_argument for a parameter of ours that is unknown or ill-formed.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void Multiply(const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A, bool transposeA,
              const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& B, bool transposeB,
              Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& C,
              bool call_FillComplete_on_result = true, const std::string& label = std::string(),
              const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

/// C = B - omega D^-1 A B, one step of weighted Jacobi on the columns of B: Tpetra::MatrixMatrix::Jacobi.
///
/// Done as one product, (I - omega D^-1 A) B. `Dinv` has A's row map and holds the inverse of D; B must have
/// A's row map too. Otherwise as Multiply, whose states of C (a graph already, no fillComplete(), or fill
/// resumed or not) are all served; Tpetra serves a new C and one whose fill is active.
///
/// Throws as Multiply does, and std::runtime_error on every rank if Dinv or B lie elsewhere than A's rows.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void Jacobi(Scalar omega, const Tpetra::Vector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& Dinv,
            const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A,
            const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& B,
            Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& C,
            bool call_FillComplete_on_result = true, const std::string& label = std::string(),
            const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

}  // namespace MatrixMatrix
}  // namespace Trident

#endif
