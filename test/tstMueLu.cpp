// Hierarchies of MueLu with Trident's products against the same hierarchies with Tpetra's: patterns and
// values of all levels, iterations of CG, second set-ups on other values for each type of reuse,
// repartitioned levels.

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

namespace {

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

RCP<MultiVector> unwrap(const RCP<XMultiVector>& X) {
  using Wrapped = Xpetra::TpetraMultiVector<Scalar, Local, Global, Node>;
  return Teuchos::rcp_dynamic_cast<Wrapped>(X, true)->getTpetra_MultiVector();
}

Problem makeProblem(const std::string& type, Global n) {
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
RCP<Matrix> scaled(const Matrix& A) {
  const auto B = rcp(new Matrix(A, Teuchos::Copy));
  Tpetra::Vector<Scalar, Local, Global, Node> D(A.getRowMap());
  for (Local i = 0; i < static_cast<Local>(D.getLocalLength()); ++i)
    D.replaceLocalValue(i, 1 + 0.3 * std::sin(static_cast<double>(A.getRowMap()->getGlobalElement(i))));
  B->leftScale(D);
  B->rightScale(D);
  return B;
}

ParameterList easyList(const Problem& problem) {
  ParameterList list;
  list.set("verbosity", "none").set("coarse: max size", 20 * problem.equations).set("max levels", 4);
  list.set("number of equations", problem.equations).set("smoother: type", "CHEBYSHEV");
  list.sublist("user data").set("Coordinates", problem.coordinates);
  if (problem.equations > 1) list.sublist("user data").set("Nullspace", problem.nullspace);
  return list;
}

int iterations(const RCP<Matrix>& A, const RCP<Preconditioner>& M) {
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

Row rowOf(const XMatrix& A, Local i) {
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
Local localRows(const XMatrix& A) {
#if TRILINOS_MAJOR_MINOR_VERSION < 130400
  return static_cast<Local>(A.getRowMap()->getNodeNumElements());
#else
  return static_cast<Local>(A.getRowMap()->getLocalNumElements());
#endif
}

void expectSameMatrix(const XMatrix& got, const XMatrix& expected, const std::string& where) {
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
RCP<XMatrix> matrixOf(MueLu::Level& level) {
  if (!level.IsAvailable("A")) return Teuchos::null;
  try {
    return level.Get<RCP<XMatrix>>("A");
  } catch (const std::exception&) {
    return Teuchos::null;
  }
}

void expectSameHierarchy(const Preconditioner& got, const Preconditioner& expected) {
  const auto H = got.GetHierarchy(), G = expected.GetHierarchy();
  ASSERT_EQ(H->GetGlobalNumLevels(), G->GetGlobalNumLevels());
  ASSERT_EQ(H->GetNumLevels(), G->GetNumLevels());
  for (int l = 1; l < H->GetNumLevels(); ++l) {
    const RCP<XMatrix> A = matrixOf(*H->GetLevel(l)), B = matrixOf(*G->GetLevel(l));
    ASSERT_EQ(A.is_null(), B.is_null()) << "level " << l;
    if (!A.is_null()) expectSameMatrix(*A, *B, "level " + std::to_string(l));
  }
}

RCP<Preconditioner> stock(const RCP<Matrix>& A, ParameterList list) {
  Amg::restartRandomNumbers(*A->getComm());
  return MueLu::CreateTpetraPreconditioner<Scalar, Local, Global, Node>(RCP<Operator>(A), list);
}

RCP<Preconditioner> switched(const RCP<Matrix>& A, const ParameterList& list,
                             const Trident::HierarchyOptions& options) {
  Amg::restartRandomNumbers(*A->getComm());
  return Trident::createTpetraPreconditioner<Scalar, Local, Global, Node>(A, list, options);
}

/// A second set-up, of both hierarchies.
void setUpAgain(const RCP<Matrix>& A, Preconditioner& M, Preconditioner& reference) {
  for (Preconditioner* each : {&M, &reference}) {
    Amg::restartRandomNumbers(*A->getComm());
    MueLu::ReuseTpetraPreconditioner(A, *each);
  }
}

Trident::HierarchyOptions logging() {
  Trident::HierarchyOptions options;
  options.log = rcp(new Trident::ProductLog());
  return options;
}

/// How many products of the log have `part` in their label and were done by Trident, of which with values
/// only.
struct Count {
  int all = 0, valuesOnly = 0, intoGraph = 0;
};

Count count(const Trident::ProductLog& log, const std::string& part) {
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

// ---- Factories in a list ----

std::string factoriesXml(const std::string& prefix, bool implicit, const std::string& triple) {
  const std::string flag = implicit ? "true" : "false";
  return R"(<ParameterList name="MueLu"><ParameterList name="Factories">
    <Parameter name="aggregates" type="string" value="UncoupledAggregationFactory"/>
    <ParameterList name="tentative"><Parameter name="factory" type="string" value="TentativePFactory"/>
      <Parameter name="Aggregates" type="string" value="aggregates"/></ParameterList>
    <ParameterList name="nullspace"><Parameter name="factory" type="string" value="NullspaceFactory"/>
      <Parameter name="Nullspace" type="string" value="tentative"/></ParameterList>
    <ParameterList name="P"><Parameter name="factory" type="string" value=")" +
         prefix + R"(SaPFactory"/>
      <Parameter name="P" type="string" value="tentative"/></ParameterList>
    <ParameterList name="R"><Parameter name="factory" type="string" value="TransPFactory"/>
      <Parameter name="P" type="string" value="P"/></ParameterList>
    <ParameterList name="coordinates"><Parameter name="factory" type="string" value="CoordinatesTransferFactory"/>
      <Parameter name="Aggregates" type="string" value="aggregates"/></ParameterList>
    <ParameterList name="A"><Parameter name="factory" type="string" value=")" +
         prefix + R"(RAPFactory"/>
      <Parameter name="P" type="string" value="P"/><Parameter name="R" type="string" value="R"/>
      <Parameter name="transpose: use implicit" type="bool" value=")" +
         flag + R"("/>)" + triple + R"(
      <ParameterList name="TransferFactories">
        <Parameter name="coordinates" type="string" value="coordinates"/></ParameterList></ParameterList>
  </ParameterList>
  <ParameterList name="Hierarchy"><Parameter name="max levels" type="int" value="4"/>
    <Parameter name="coarse: max size" type="int" value="20"/>
    <Parameter name="verbosity" type="string" value="None"/>
    <Parameter name="transpose: use implicit" type="bool" value=")" +
         flag + R"("/>
    <ParameterList name="All"><Parameter name="A" type="string" value="A"/>
      <Parameter name="P" type="string" value="P"/><Parameter name="R" type="string" value="R"/>
      <Parameter name="Ptent" type="string" value="tentative"/>
      <Parameter name="Aggregates" type="string" value="aggregates"/>
      <Parameter name="Nullspace" type="string" value="nullspace"/>
      <Parameter name="CoarseSolver" type="string" value="DirectSolver"/></ParameterList>
  </ParameterList></ParameterList>)";
}

RCP<Preconditioner> fromFactories(const Problem& problem, const std::string& xml,
                                  const RCP<Trident::ProductLog>& log) {
  ParameterList list;
  Teuchos::updateParametersFromXmlString(xml, Teuchos::ptr(&list));
  Interpreter manager(list, problem.A->getComm(),
                      rcp(new Trident::FactoryFactory<Scalar, Local, Global, Node>(log)));
  const auto H = manager.CreateHierarchy();
  H->GetLevel(0)->Set("A", MueLu::TpetraCrs_To_XpetraMatrix<Scalar, Local, Global, Node>(problem.A));
  const RCP<XMultiVector> coordinates = MueLu::TpetraMultiVector_To_XpetraMultiVector(problem.coordinates);
  H->GetLevel(0)->Set("Coordinates", coordinates);
  manager.SetupHierarchy(*H);
  return rcp(new Preconditioner(H));
}

TEST(MueLuFactories, ListsMayNameTridentsFactories) {
  const Problem problem = makeProblem("Laplace3D", 10);
  for (const bool implicit : {false, true})
    for (const std::string triple : {"", "true", "false"}) {
      const std::string parameter =
          triple.empty() ? ""
                         : R"(<Parameter name="rap: triple product" type="bool" value=")" + triple + R"("/>)";
      SCOPED_TRACE("implicit " + std::to_string(implicit) + ", triple product '" + triple + "'");
      const auto log = rcp(new Trident::ProductLog());
      const auto M = fromFactories(problem, factoriesXml("Trident", implicit, parameter), log);
      // Stock's triple product reads out of bounds for an explicit R.
      const auto reference = fromFactories(problem, factoriesXml("", implicit, ""), Teuchos::null);
      expectSameHierarchy(*M, *reference);
      EXPECT_EQ(iterations(problem.A, M), iterations(problem.A, reference));
      const int coarse = M->GetHierarchy()->GetGlobalNumLevels() - 1;
      ASSERT_GE(coarse, 2);
      EXPECT_EQ(count(*log, "SaP").all, coarse);
      EXPECT_EQ(count(*log, "R*A*P").all, triple == "false" ? 0 : coarse);
      EXPECT_EQ(count(*log, "A*P-").all, coarse);
      EXPECT_EQ(count(*log, "R*(AP)").all, triple == "false" ? coarse : 0);
    }
}

TEST(MueLuFactories, UnknownNamesAreMueLusErrors) {
  const Problem problem = makeProblem("Laplace3D", 4);
  EXPECT_THROW(fromFactories(problem, factoriesXml("Nobodys", false, ""), Teuchos::null), std::exception);
}

// ---- Easy lists ----

/// Stock's triple product reads out of bounds for an explicit R, so that it is not asked for one.
void compareEasy(const Problem& problem, const ParameterList& list) {
  ParameterList forStock = list;
  if (!list.isParameter("transpose: use implicit")) forStock.remove("rap: triple product", false);
  const bool twoProducts = list.isParameter("rap: triple product") && !list.get<bool>("rap: triple product");
  const auto options = logging();
  const auto M = switched(problem.A, list, options);
  const auto reference = stock(problem.A, forStock);
  expectSameHierarchy(*M, *reference);
  EXPECT_EQ(iterations(problem.A, M), iterations(problem.A, reference));
  const int coarse = M->GetHierarchy()->GetGlobalNumLevels() - 1;
  ASSERT_GE(coarse, 2);
  EXPECT_EQ(count(*options.log, "A*P-").all, coarse);
  EXPECT_EQ(count(*options.log, "R*(AP)").all, twoProducts ? coarse : 0);
}

TEST(MueLuEasyList, IsSwitchedOver) {
  for (const std::string type : {"Laplace3D", "Elasticity3D"}) {
    const Problem problem = makeProblem(type, type == "Laplace3D" ? 10 : 9);
    for (const bool implicit : {false, true})
      for (const std::string triple : {"", "true", "false"}) {
        SCOPED_TRACE(type + ", implicit " + std::to_string(implicit) + ", triple product '" + triple + "'");
        ParameterList list = easyList(problem);
        if (implicit) list.set("transpose: use implicit", true);
        if (!triple.empty()) list.set("rap: triple product", triple == "true");
        compareEasy(problem, list);
      }
  }
}

TEST(MueLuEasyList, NonsymmetricProblemsSmoothTheRestrictionToo) {
  const Problem problem = makeProblem("Laplace3D", 10);
  ParameterList list = easyList(problem);
  list.set("problem: symmetric", false);
  const auto options = logging();
  const auto M = switched(problem.A, list, options);
  expectSameHierarchy(*M, *stock(problem.A, list));
  EXPECT_EQ(count(*options.log, "SaP").all, 2 * (M->GetHierarchy()->GetGlobalNumLevels() - 1));
}

TEST(MueLuEasyList, ParametersOfProductsArrive) {
  const Problem problem = makeProblem("Laplace3D", 8);
  ParameterList list = easyList(problem);
  list.sublist("matrixmatrix: kernel params").set("trident: plan", "tpetra");
  const auto options = logging();
  switched(problem.A, list, options);
  ASSERT_FALSE(options.log->products.empty());
  for (const auto& product : options.log->products) EXPECT_TRUE(product.report.handedBack) << product.label;
  list.sublist("matrixmatrix: kernel params").set("trident: no such name", 1);
  EXPECT_THROW(switched(problem.A, list, logging()), std::invalid_argument);
}

TEST(MueLuEasyList, ZeroDiagonalsAreRepaired) {
  const Problem problem = makeProblem("Laplace3D", 8);
  ParameterList list = easyList(problem);
  list.set("rap: fix zero diagonals", true).set("rap: fix zero diagonals threshold", 1e3);
  list.set("rap: fix zero diagonals replacement", 7.0);
  expectSameHierarchy(*switched(problem.A, list, logging()), *stock(problem.A, list));
}

// ---- Second set-ups ----

struct Expected {
  const char* type;
  const char* triple;  // "rap: triple product", or "" to leave it open
  int products;        // of a coarse level at the second set-up
};

class MueLuReuseTypes : public testing::TestWithParam<std::tuple<Expected, bool>> {};

// Every product of a second set-up sends values only: into the matrix that MueLu has kept, or, where it makes
// a new one, by the patterns that the communicator has kept.
TEST_P(MueLuReuseTypes, AgreesWithStockAndSendsValuesOnly) {
  const Expected expected = std::get<0>(GetParam());
  const bool implicit = std::get<1>(GetParam());
  const Problem problem = makeProblem("Laplace3D", 10);
  ParameterList list = easyList(problem);
  list.set("reuse: type", expected.type);
  if (implicit) list.set("transpose: use implicit", true);
  const auto reference =
      stock(problem.A, list);  // by two products: stock's triple one crashes if R is explicit
  const std::string triple = expected.triple;
  if (!triple.empty()) list.set("rap: triple product", triple == "true");
  const auto options = logging();
  const auto M = switched(problem.A, list, options);
  expectSameHierarchy(*M, *reference);
  const int coarse = M->GetHierarchy()->GetGlobalNumLevels() - 1;

  const RCP<Matrix> B = scaled(*problem.A);
  for (int again = 0; again < 2; ++again) {
    const RCP<Matrix> A = again == 0 ? B : scaled(*B);
    options.log->products.clear();
    setUpAgain(A, *M, *reference);
    expectSameHierarchy(*M, *reference);
    EXPECT_EQ(iterations(A, M), iterations(A, reference));
    const Count done = count(*options.log, "MueLu::");
    EXPECT_EQ(done.all, expected.products * coarse);
    EXPECT_EQ(done.valuesOnly, done.all);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Reuse, MueLuReuseTypes,
    testing::Combine(testing::Values(Expected{"S", "", 2}, Expected{"tP", "", 3}, Expected{"RP", "", 2},
                                     Expected{"RAP", "", 0}, Expected{"S", "false", 3},
                                     Expected{"tP", "false", 3}, Expected{"RP", "false", 2},
                                     Expected{"S", "true", 2}, Expected{"tP", "true", 2},
                                     Expected{"RP", "true", 1}, Expected{"RAP", "true", 0},
                                     Expected{"none", "", 2}),
                     testing::Bool()));

// Stock multiplies into a new coarse matrix each time, although it keeps the old one.
TEST(MueLuReuse, TripleProductsGoIntoTheKeptMatrix) {
  const Problem problem = makeProblem("Laplace3D", 10);
  for (const bool implicit : {false, true}) {
    ParameterList list = easyList(problem), forStock = list;
    for (ParameterList* each : {&list, &forStock})
      each->set("reuse: type", "RP").set("transpose: use implicit", implicit);
    list.set("rap: triple product", true);
    const auto options = logging();
    const auto M = switched(problem.A, list, options);
    const auto reference = stock(problem.A, forStock);
    options.log->products.clear();
    const RCP<Matrix> A = scaled(*problem.A);
    setUpAgain(A, *M, *reference);
    expectSameHierarchy(*M, *reference);
    EXPECT_EQ(iterations(A, M), iterations(A, reference));
    const Count done = count(*options.log, "R*A*P");
    EXPECT_EQ(done.all, M->GetHierarchy()->GetGlobalNumLevels() - 1);
    EXPECT_EQ(done.intoGraph, done.all);
  }
}

// ---- Levels on fewer ranks ----

TEST(MueLuRepartitioned, ProductsOnSubCommunicators) {
  const Problem problem = makeProblem("Laplace3D", 14);
  const int ranks = problem.A->getComm()->getSize();
  for (const std::string reuse : {"none", "RP"})
    for (const bool rebalanced : {true, false}) {
      if (reuse == "RP" && rebalanced) continue;  // MueLu excludes the two
      SCOPED_TRACE("reuse " + reuse + ", P and R rebalanced " + std::to_string(rebalanced));
      ParameterList list = easyList(problem);
      list.set("coarse: max size", 10);
      list.set("repartition: enable", true).set("repartition: partitioner", "zoltan2");
      list.set("repartition: start level", 1).set("repartition: min rows per proc", 160);
      list.set("repartition: rebalance P and R", rebalanced).set("reuse: type", reuse);
      const auto options = logging();
      const auto M = switched(problem.A, list, options);
      const auto reference = stock(problem.A, list);
      expectSameHierarchy(*M, *reference);
      EXPECT_EQ(iterations(problem.A, M), iterations(problem.A, reference));
      int fewest = ranks;
      for (const auto& product : options.log->products) fewest = std::min(fewest, product.ranks);
      int all = 0;
      Teuchos::reduceAll(*problem.A->getComm(), Teuchos::REDUCE_MIN, fewest, Teuchos::outArg(all));
      EXPECT_TRUE(ranks == 1 || all < ranks) << all;
      if (reuse == "RP") {
        const RCP<Matrix> A = scaled(*problem.A);
        setUpAgain(A, *M, *reference);
        expectSameHierarchy(*M, *reference);
        EXPECT_EQ(iterations(A, M), iterations(A, reference));
      }
    }
}

}  // namespace
