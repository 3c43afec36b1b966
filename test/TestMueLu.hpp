#ifndef TRIDENT_TEST_MUELU_HPP
#define TRIDENT_TEST_MUELU_HPP

// What the tests of MueLu's hierarchies share: problems, hierarchies set up with Tpetra's products and with
// Trident's, and what must be the same of two hierarchies.

#include <Trilinos_version.h>
#include <gtest/gtest.h>

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Galeri_XpetraMaps.hpp>
#include <Galeri_XpetraParameters.hpp>
#include <Galeri_XpetraProblemFactory.hpp>
#include <Galeri_XpetraUtils.hpp>
#include <MueLu.hpp>
#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <MueLu_ParameterListInterpreter.hpp>
#include <MueLu_TpetraOperator.hpp>
#include <Teuchos_XMLParameterListHelpers.hpp>
#include <Tpetra_Core.hpp>
#include <Xpetra_MapFactory.hpp>
#include <Xpetra_TpetraMultiVector.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "RandomNumbers.hpp"
#include "Trident_FactoryFactory.hpp"
#include "Trident_UseInHierarchy.hpp"

namespace Trident::MueLuTest {

using Scalar = double;
using Local = Tpetra::Map<>::local_ordinal_type;
using Global = Tpetra::Map<>::global_ordinal_type;
using Node = Tpetra::Map<>::node_type;
using Matrix = Tpetra::CrsMatrix<Scalar, Local, Global, Node>;
using MultiVector = Tpetra::MultiVector<Scalar, Local, Global, Node>;
using Operator = Tpetra::Operator<Scalar, Local, Global, Node>;
using Preconditioner = MueLu::TpetraOperator<Scalar, Local, Global, Node>;
using Interpreter = MueLu::ParameterListInterpreter<Scalar, Local, Global, Node>;
using XMatrix = Xpetra::Matrix<Scalar, Local, Global, Node>;
using XMap = Xpetra::Map<Local, Global, Node>;
using XMultiVector = Xpetra::MultiVector<Scalar, Local, Global, Node>;
using XWrap = Xpetra::CrsMatrixWrap<Scalar, Local, Global, Node>;
using Teuchos::ParameterList;
using Teuchos::RCP;
using Teuchos::rcp;

struct Problem {
  RCP<Matrix> A;
  RCP<MultiVector> coordinates, nullspace;
  int equations = 1;
};

inline RCP<MultiVector> unwrap(const RCP<XMultiVector>& X) {
  using Wrapped = Xpetra::TpetraMultiVector<Scalar, Local, Global, Node>;
  return Teuchos::rcp_dynamic_cast<Wrapped>(X, true)->getTpetra_MultiVector();
}

inline Problem makeProblem(const std::string& type, Global n) {
  const auto comm = Tpetra::getDefaultComm();
  ParameterList list;
  list.set("nx", n).set("ny", n).set("nz", n);
  Problem problem;
  RCP<const XMap> map =
      Galeri::Xpetra::CreateMap<Local, Global, Node>(Xpetra::UseTpetra, "Cartesian3D", comm, list);
  const auto coordinates =
      Galeri::Xpetra::Utils::CreateCartesianCoordinates<Scalar, Local, Global, XMap, XMultiVector>("3D", map,
                                                                                                   list);
  if (type == "Elasticity3D") {
    problem.equations = 3;
    map = Xpetra::MapFactory<Local, Global, Node>::Build(map, 3);
  }
  const auto galeri =
      Galeri::Xpetra::BuildProblem<Scalar, Local, Global, XMap, XWrap, XMultiVector>(type, map, list);
  const RCP<XMatrix> A = galeri->BuildMatrix();
  problem.A = Xpetra::Helpers<Scalar, Local, Global, Node>::Op2NonConstTpetraCrs(A);
  problem.coordinates = unwrap(coordinates);
  problem.nullspace = unwrap(galeri->BuildNullspace());
  return problem;
}

/// D A D: the same pattern, still symmetric positive definite.
inline RCP<Matrix> scaled(const Matrix& A) {
  const auto B = rcp(new Matrix(A, Teuchos::Copy));
  Tpetra::Vector<Scalar, Local, Global, Node> D(A.getRowMap());
  for (Local i = 0; i < static_cast<Local>(D.getLocalLength()); ++i)
    D.replaceLocalValue(i, 1 + 0.3 * std::sin(static_cast<double>(A.getRowMap()->getGlobalElement(i))));
  B->leftScale(D);
  B->rightScale(D);
  return B;
}

inline ParameterList easyList(const Problem& problem) {
  ParameterList list;
  list.set("verbosity", "none").set("coarse: max size", 20 * problem.equations).set("max levels", 4);
  list.set("number of equations", problem.equations).set("smoother: type", "CHEBYSHEV");
  list.sublist("user data").set("Coordinates", problem.coordinates);
  if (problem.equations > 1) list.sublist("user data").set("Nullspace", problem.nullspace);
  return list;
}

inline int iterations(const RCP<Matrix>& A, const RCP<Preconditioner>& M) {
  const auto X = rcp(new MultiVector(A->getDomainMap(), 1)), B = rcp(new MultiVector(A->getRangeMap(), 1));
  B->putScalar(1);
  const auto linear = rcp(new Belos::LinearProblem<Scalar, MultiVector, Operator>(A, X, B));
  linear->setLeftPrec(M);
  linear->setProblem();
  const auto list = rcp(new ParameterList());
  list->set("Convergence Tolerance", 1e-8).set("Maximum Iterations", 200);
  Belos::PseudoBlockCGSolMgr<Scalar, MultiVector, Operator> solver(linear, list);
  return solver.solve() == Belos::Converged ? solver.getNumIters() : -1;
}

using Row = std::vector<std::pair<Global, Scalar>>;

inline Row rowOf(const XMatrix& A, Local i) {
  Teuchos::ArrayView<const Local> columns;
  Teuchos::ArrayView<const Scalar> values;
  A.getLocalRowView(i, columns, values);
  Row row;
  for (int k = 0; k < columns.size(); ++k)
    row.emplace_back(A.getColMap()->getGlobalElement(columns[k]), values[k]);
  std::sort(row.begin(), row.end());
  return row;
}

/// Trilinos 13.4 renamed the function.
inline Local localRows(const XMatrix& A) {
#if TRILINOS_MAJOR_MINOR_VERSION < 130400
  return static_cast<Local>(A.getRowMap()->getNodeNumElements());
#else
  return static_cast<Local>(A.getRowMap()->getLocalNumElements());
#endif
}

inline void expectSameMatrix(const XMatrix& got, const XMatrix& expected, const std::string& where) {
  ASSERT_TRUE(got.getRowMap()->isSameAs(*expected.getRowMap())) << where;
  EXPECT_EQ(got.getGlobalNumEntries(), expected.getGlobalNumEntries()) << where;
  Scalar largest = 0, difference = 0;
  for (Local i = 0; i < localRows(expected); ++i) {
    const Row a = rowOf(got, i), b = rowOf(expected, i);
    ASSERT_EQ(a.size(), b.size()) << where << ", row " << i;
    for (std::size_t k = 0; k < a.size(); ++k) {
      ASSERT_EQ(a[k].first, b[k].first) << where << ", row " << i;
      largest = std::max(largest, std::abs(b[k].second));
      difference = std::max(difference, std::abs(a[k].second - b[k].second));
    }
  }
  EXPECT_LE(difference, 1e-11 * largest) << where;
}

/// Null on a rank that has left a repartitioned hierarchy: it holds a null Operator instead of a Matrix.
inline RCP<XMatrix> matrixOf(MueLu::Level& level) {
  if (!level.IsAvailable("A")) return Teuchos::null;
  try {
    return level.Get<RCP<XMatrix>>("A");
  } catch (const std::exception&) {
    return Teuchos::null;
  }
}

inline void expectSameHierarchy(const Preconditioner& got, const Preconditioner& expected) {
  const auto H = got.GetHierarchy(), G = expected.GetHierarchy();
  ASSERT_EQ(H->GetGlobalNumLevels(), G->GetGlobalNumLevels());
  ASSERT_EQ(H->GetNumLevels(), G->GetNumLevels());
  for (int l = 1; l < H->GetNumLevels(); ++l) {
    const RCP<XMatrix> A = matrixOf(*H->GetLevel(l)), B = matrixOf(*G->GetLevel(l));
    ASSERT_EQ(A.is_null(), B.is_null()) << "level " << l;
    if (!A.is_null()) expectSameMatrix(*A, *B, "level " + std::to_string(l));
  }
}

inline RCP<Preconditioner> stock(const RCP<Matrix>& A, ParameterList list) {
  Amg::restartRandomNumbers(*A->getComm());
  return MueLu::CreateTpetraPreconditioner<Scalar, Local, Global, Node>(RCP<Operator>(A), list);
}

inline RCP<Preconditioner> switched(const RCP<Matrix>& A, const ParameterList& list,
                                    const Trident::HierarchyOptions& options) {
  Amg::restartRandomNumbers(*A->getComm());
  return Trident::createTpetraPreconditioner<Scalar, Local, Global, Node>(A, list, options);
}

/// A second set-up, of both hierarchies.
inline void setUpAgain(const RCP<Matrix>& A, Preconditioner& M, Preconditioner& reference) {
  for (Preconditioner* each : {&M, &reference}) {
    Amg::restartRandomNumbers(*A->getComm());
    MueLu::ReuseTpetraPreconditioner(A, *each);
  }
}

inline Trident::HierarchyOptions logging() {
  Trident::HierarchyOptions options;
  options.log = rcp(new Trident::ProductLog());
  return options;
}

/// How many products of the log have `part` in their label and were done by Trident, of which with values
/// only.
struct Count {
  int all = 0, valuesOnly = 0, intoGraph = 0;
};

inline Count count(const Trident::ProductLog& log, const std::string& part) {
  Count count;
  for (const auto& product : log.products) {
    if (product.label.find(part) == std::string::npos) continue;
    EXPECT_FALSE(product.report.handedBack) << product.label;
    EXPECT_GT(product.report.nodes, 0) << product.label;
    ++count.all;
    count.valuesOnly += product.report.valuesOnly ? 1 : 0;
    count.intoGraph += product.intoGraph ? 1 : 0;
  }
  return count;
}

}  // namespace Trident::MueLuTest

#endif
