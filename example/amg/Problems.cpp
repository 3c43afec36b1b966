#include "Problems.hpp"

#include <Galeri_XpetraMaps.hpp>
#include <Galeri_XpetraProblemFactory.hpp>
#include <Galeri_XpetraUtils.hpp>
#include <Xpetra_CrsMatrixWrap.hpp>
#include <Xpetra_MapFactory.hpp>
#include <Xpetra_MatrixMatrix.hpp>
#include <Xpetra_TpetraMultiVector.hpp>

namespace Amg {

namespace {

using XMap = Xpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;
using XMultiVector = Xpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
using XMatrix = Xpetra::CrsMatrixWrap<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

Teuchos::RCP<MultiVector> unwrap(const Teuchos::RCP<XMultiVector>& X) {
  using Wrapped = Xpetra::TpetraMultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  return Teuchos::rcp_dynamic_cast<Wrapped>(X, true)->getTpetra_MultiVector();
}

/// A problem of Galeri's on a cube.
Problem onCube(const Comm& comm, const std::string& type, int size) {
  Teuchos::ParameterList list;
  const GlobalOrdinal n = size;
  list.set("nx", n).set("ny", n).set("nz", n);
  Teuchos::RCP<const XMap> map = Galeri::Xpetra::CreateMap<LocalOrdinal, GlobalOrdinal, Node>(
      Xpetra::UseTpetra, "Cartesian3D", comm, list);
  Problem problem;
  problem.name = type + " on a cube of " + std::to_string(size) + " points a side";
  problem.coordinates =
      unwrap(Galeri::Xpetra::Utils::CreateCartesianCoordinates<Scalar, LocalOrdinal, GlobalOrdinal, XMap,
                                                               XMultiVector>("3D", map, list));
  if (type == "Elasticity3D") {
    problem.equations = 3;
    map = Xpetra::MapFactory<LocalOrdinal, GlobalOrdinal, Node>::Build(map, 3);
  }
  const auto galeri =
      Galeri::Xpetra::BuildProblem<Scalar, LocalOrdinal, GlobalOrdinal, XMap, XMatrix, XMultiVector>(
          type, map, list);
  const Teuchos::RCP<Xpetra::Matrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>> A = galeri->BuildMatrix();
  problem.A = Xpetra::Helpers<Scalar, LocalOrdinal, GlobalOrdinal, Node>::Op2NonConstTpetraCrs(A);
  problem.A->setObjectLabel("");  // MueLu would put it into the names of timers
  if (problem.equations > 1) problem.nullspace = unwrap(galeri->BuildNullspace());
  return problem;
}

}  // namespace

Problem makeProblem(const Comm& comm, const Options& options) {
  if (options.problem == "graph") return graphLaplacian(comm, options.matrix);
  return onCube(comm, options.problem == "elasticity" ? "Elasticity3D" : "Laplace3D", options.size);
}

}  // namespace Amg
