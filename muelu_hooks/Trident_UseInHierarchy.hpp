#ifndef TRIDENT_USE_IN_HIERARCHY_HPP
#define TRIDENT_USE_IN_HIERARCHY_HPP

#include <MueLu_HierarchyManager_fwd.hpp>
#include <MueLu_Hierarchy_fwd.hpp>
#include <MueLu_TpetraOperator_fwd.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>

#include "Trident_ProductLog.hpp"

namespace Trident {

/// What useInHierarchy() does to a hierarchy.
struct HierarchyOptions {
  Teuchos::RCP<ProductLog> log;  ///< every product of the switched factories is appended, unless null
  bool prolongators = true;      ///< switch the smoothing of prolongators too, not only R*A*P
};

/// How many factories useInHierarchy() replaced, over all levels.
struct SwitchedFactories {
  int rap = 0;
  int sap = 0;
};

/// Makes the hierarchies that `manager` sets up from now on multiply with Trident: each MueLu::RAPFactory
/// becomes a Trident::RAPFactory and each MueLu::SaPFactory a Trident::SaPFactory.
///
/// For managers read from an easy parameter list (MueLu::ParameterListInterpreter; any other HierarchyManager
/// of MueLu::FactoryManagers works too), between their construction and CreateHierarchy()/SetupHierarchy().
/// Parameters, inputs and transfer factories (coordinates) go over to the new factories; whatever referred to
/// an old one refers to its successor: other factories (with "repartition: enable" MueLu::RebalanceAcFactory
/// and the heuristics take A from it) and the data kept for "reuse: type". Factories are followed from the
/// managers of all levels through their inputs and the transfer factories. Not followed are references hidden
/// in other members: a factory behind "semicoarsen: number of levels" (MueLu::TogglePFactory) or in a
/// sub-manager of a blocked hierarchy stays MueLu's and works as before. MueLu::RAPShiftFactory,
/// MueLu::SaPFactory_kokkos and classes derived from MueLu's two are left alone as well.
///
/// No communication; must be called on all ranks alike. Returns how many factories were replaced: 0 where
/// Trident will not be used.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
SwitchedFactories useInHierarchy(MueLu::HierarchyManager<Scalar, LocalOrdinal, GlobalOrdinal, Node>& manager,
                                 const HierarchyOptions& options = HierarchyOptions());

/// MueLu::CreateTpetraPreconditioner with useInHierarchy() in between: for easy lists and for lists with
/// "Factories", which may name Trident's.
///
/// `A` is kept by the hierarchy. `list` may have a sublist "user data" ("Coordinates", "Nullspace" as Tpetra
/// or Xpetra multivectors). MueLu::ReuseTpetraPreconditioner works on the result. Collective over A's
/// communicator. Throws what MueLu throws, and std::invalid_argument for a list in ML's syntax.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
Teuchos::RCP<MueLu::TpetraOperator<Scalar, LocalOrdinal, GlobalOrdinal, Node>> createTpetraPreconditioner(
    const Teuchos::RCP<Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>>& A,
    const Teuchos::ParameterList& list, const HierarchyOptions& options = HierarchyOptions());

}  // namespace Trident

#endif
