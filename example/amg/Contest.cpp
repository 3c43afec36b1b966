#include "Contest.hpp"

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <MueLu.hpp>
#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <MueLu_TpetraOperator.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <Teuchos_oblackholestream.hpp>
#include <algorithm>
#include <cmath>
#include <string>

#include "RandomNumbers.hpp"
#include "Trident_UseInHierarchy.hpp"

namespace Amg {

namespace {

using Operator = Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
using Preconditioner = MueLu::TpetraOperator<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
using XOperator = Xpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
using XMatrix = Xpetra::Matrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
using Teuchos::RCP;
using Teuchos::rcp;

/// MueLu's timers are there from "high" on; what it prints then goes to a stream that drops it.
Teuchos::ParameterList listOf(const Problem& problem, const Options& options) {
  Teuchos::ParameterList list;
  list.set("verbosity", "high").set("multigrid algorithm", options.algorithm);
  list.set("number of equations", problem.equations).set("coarse: max size", options.coarseSize);
  list.set("smoother: type", "CHEBYSHEV").set("reuse: type", options.reuse);
  // Not the default, a direct solver: with Debian 13.2's KLU2 on several ranks CG does not converge, stock or
  // not.
  list.set("coarse: type", "RELAXATION");
  list.sublist("coarse: params")
      .set("relaxation: type", "Symmetric Gauss-Seidel")
      .set("relaxation: sweeps", 4);
  if (options.implicitTranspose) list.set("transpose: use implicit", true);
  if (options.tripleProduct) list.set("rap: triple product", true);
  if (options.repartition && !problem.coordinates.is_null()) {
    list.set("repartition: enable", true).set("repartition: partitioner", "zoltan2");
    list.set("repartition: start level", 1).set("repartition: min rows per proc", options.minRowsPerRank);
    if (options.reuse != "none") list.set("repartition: rebalance P and R", false);
  }
  Teuchos::ParameterList& userData = list.sublist("user data");
  if (!problem.coordinates.is_null()) userData.set("Coordinates", problem.coordinates);
  if (!problem.nullspace.is_null()) userData.set("Nullspace", problem.nullspace);
  Teuchos::ParameterList& forProducts = list.sublist("matrixmatrix: kernel params");
  if (!options.ranksPerNode.empty()) forProducts.set("trident: ranks per node", options.ranksPerNode);
  // Set-ups are repeated to be timed: without this all but the first would know the patterns. The second
  // set-up of type S is about just that.
  if (options.reuse != "S") forProducts.set("trident: pattern memory", std::string("0"));
  if (!options.plan.empty()) forProducts.set("trident: plan", options.plan);
  return list;
}

/// What MueLu's timers of one factory say.
double timed(const std::string& factory, const std::string& what) {
  double seconds = 0;
  for (const std::string prefix : {"", "Trident"}) {
    const auto timer =
        Teuchos::TimeMonitor::lookupCounter("MueLu: " + prefix + factory + ": " + what + " (sub, total)");
    if (!timer.is_null()) seconds += timer->totalElapsedTime();
  }
  return seconds;
}

/// Runs a set-up; the times of the slowest rank.
template <class SetUp>
Seconds measure(const Comm& comm, const SetUp& setUp) {
  restartRandomNumbers(*comm);
  Teuchos::TimeMonitor::zeroOutTimers();
  comm->barrier();
  Teuchos::Time clock("set-up", true);
  setUp();
  Seconds own{};
  own[setup] = clock.stop();
  own[jacobi] = timed("SaPFactory", "Fused (I-omega*D^{-1} A)*Ptent");
  own[timesP] = timed("RAPFactory", "MxM: A x P");
  own[timesAP] =
      timed("RAPFactory", "MxM: R x (AP) (explicit)") + timed("RAPFactory", "MxM: P' x (AP) (implicit)");
  own[triple] =
      timed("RAPFactory", "MxMxM: R x A x P (explicit)") + timed("RAPFactory", "MxMxM: R x A x P (implicit)");
  own[products] = own[jacobi] + own[timesP] + own[timesAP] + own[triple];
  Seconds slowest{};
  Teuchos::reduceAll(*comm, Teuchos::REDUCE_MAX, int(timedCount), own.data(), slowest.data());
  return slowest;
}

Seconds medians(std::vector<Seconds> runs) {
  Seconds result{};
  for (int what = 0; what < timedCount && !runs.empty(); ++what) {
    const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
    std::nth_element(runs.begin(), middle, runs.end(),
                     [what](const Seconds& a, const Seconds& b) { return a[what] < b[what]; });
    result[what] = (*middle)[what];
  }
  return result;
}

int solve(const RCP<Matrix>& A, const RCP<Preconditioner>& M, double tolerance) {
  const auto X = rcp(new MultiVector(A->getDomainMap(), 1)), B = rcp(new MultiVector(A->getRangeMap(), 1));
  B->putScalar(1);
  const auto linear = rcp(new Belos::LinearProblem<Scalar, MultiVector, Operator>(A, X, B));
  linear->setLeftPrec(M);
  linear->setProblem();
  const auto list = rcp(new Teuchos::ParameterList());
  list->set("Convergence Tolerance", tolerance).set("Maximum Iterations", 500);
  Belos::PseudoBlockCGSolMgr<Scalar, MultiVector, Operator> solver(linear, list);
  return solver.solve() == Belos::Converged ? solver.getNumIters() : -1;
}

/// Ranks that have left a repartitioned hierarchy know nothing of the levels below; rank 0 of `comm` may be
/// one.
std::vector<LevelSize> sizesOf(const Comm& comm, const Preconditioner& M) {
  const auto H = M.GetHierarchy();
  int levels = 0;
  Teuchos::reduceAll(*comm, Teuchos::REDUCE_MAX, H->GetNumLevels(), Teuchos::outArg(levels));
  std::vector<std::int64_t> own(3 * static_cast<std::size_t>(levels), 0), all(own.size(), 0);
  for (int l = 0; l < H->GetNumLevels(); ++l) {
    RCP<XMatrix> A;
    try {
      if (H->GetLevel(l)->IsAvailable("A")) A = H->GetLevel(l)->Get<RCP<XMatrix>>("A");
    } catch (const std::exception&) {
      continue;  // an Operator, which is null here
    }
    if (A.is_null()) continue;
    own[3 * l] = static_cast<std::int64_t>(A->getGlobalNumRows());
    own[3 * l + 1] = static_cast<std::int64_t>(A->getGlobalNumEntries());
    own[3 * l + 2] = A->getRowMap()->getComm()->getSize();
  }
  Teuchos::reduceAll(*comm, Teuchos::REDUCE_MAX, int(own.size()), own.data(), all.data());
  std::vector<LevelSize> sizes;
  for (int l = 0; l < levels; ++l) sizes.push_back({all[3 * l], all[3 * l + 1], int(all[3 * l + 2])});
  return sizes;
}

/// D A D with entries of D between 0.7 and 1.3: other values, still positive definite.
RCP<Matrix> otherValues(const Matrix& A) {
  const auto B = rcp(new Matrix(A, Teuchos::Copy));
  Tpetra::Vector<Scalar, LocalOrdinal, GlobalOrdinal, Node> D(A.getRowMap());
  for (LocalOrdinal i = 0; i < static_cast<LocalOrdinal>(D.getLocalLength()); ++i)
    D.replaceLocalValue(i, 1 + 0.3 * std::sin(static_cast<double>(A.getRowMap()->getGlobalElement(i))));
  B->leftScale(D);
  B->rightScale(D);
  return B;
}

/// One contender: how it makes a preconditioner, and what came of it.
template <class Make>
class Contender {
 public:
  explicit Contender(Make make) : make_(std::move(make)) {}

  void run(const Problem& problem, const RCP<Matrix>& other) {
    M_ = Teuchos::null;  // memory of two at once would favour nobody, but may not be there
    const Comm comm = problem.A->getComm();
    first_.push_back(measure(comm, [&] { M_ = make_(); }));
    if (other.is_null()) return;
    if (first_.size() == 1) outcome_.iterations = solve(problem.A, M_, tolerance_);
    second_.push_back(measure(comm, [&] { MueLu::ReuseTpetraPreconditioner(other, *M_); }));
  }

  Outcome finish(const Problem& problem, const RCP<Matrix>& other) {
    const RCP<Matrix>& A = other.is_null() ? problem.A : other;
    (other.is_null() ? outcome_.iterations : outcome_.secondIterations) = solve(A, M_, tolerance_);
    outcome_.first = medians(first_);
    outcome_.second = medians(second_);
    outcome_.levels = sizesOf(A->getComm(), *M_);
    return outcome_;
  }

  double tolerance_ = 1e-8;

 private:
  Make make_;
  RCP<Preconditioner> M_;
  std::vector<Seconds> first_, second_;
  Outcome outcome_;
};

}  // namespace

Outcomes contest(const Problem& problem, const Options& options) {
  MueLu::VerboseObject::SetMueLuOStream(
      Teuchos::getFancyOStream(rcp<std::ostream>(new Teuchos::oblackholestream())));
  const Teuchos::ParameterList list = listOf(problem, options);
  Contender stock([&] {
    Teuchos::ParameterList copy = list;
    return MueLu::CreateTpetraPreconditioner<Scalar, LocalOrdinal, GlobalOrdinal, Node>(
        RCP<Operator>(problem.A), copy);
  });
  Contender trident([&] {
    return Trident::createTpetraPreconditioner<Scalar, LocalOrdinal, GlobalOrdinal, Node>(problem.A, list);
  });
  stock.tolerance_ = trident.tolerance_ = options.tolerance;
  const RCP<Matrix> other = options.reuse == "none" ? Teuchos::null : otherValues(*problem.A);
  for (int k = 0; k < options.repeat; ++k) {
    stock.run(problem, other);
    trident.run(problem, other);
  }
  Outcomes outcomes;
  outcomes.stock = stock.finish(problem, other);
  outcomes.trident = trident.finish(problem, other);
  return outcomes;
}

}  // namespace Amg
