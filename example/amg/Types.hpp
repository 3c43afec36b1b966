#ifndef TRIDENT_AMG_TYPES_HPP
#define TRIDENT_AMG_TYPES_HPP

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <string>

/// The program solves with matrices of doubles over the index types that the installed Tpetra was built for.
namespace Amg {

using Scalar = double;
using Map = Tpetra::Map<>;
using LocalOrdinal = Map::local_ordinal_type;
using GlobalOrdinal = Map::global_ordinal_type;
using Node = Map::node_type;
using Matrix = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
using MultiVector = Tpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
using Comm = Teuchos::RCP<const Teuchos::Comm<int>>;

/// A symmetric positive definite matrix and what MueLu should know about it.
struct Problem {
  std::string name;
  Teuchos::RCP<Matrix> A;
  Teuchos::RCP<MultiVector> coordinates;  ///< null for a graph
  Teuchos::RCP<MultiVector> nullspace;    ///< null: constant
  int equations = 1;                      ///< unknowns of a node
};

}  // namespace Amg

#endif
