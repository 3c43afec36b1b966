#ifndef TRIDENT_SAP_FACTORY_DEF_HPP
#define TRIDENT_SAP_FACTORY_DEF_HPP

#include <MueLu_FactoryManagerBase.hpp>
#include <MueLu_Level.hpp>
#include <MueLu_Monitor.hpp>
#include <MueLu_PerfUtils.hpp>
#include <MueLu_SaPFactory.hpp>
#include <MueLu_Utilities.hpp>
#include <cmath>
#include <string>

#include "Trident_SaPFactory.hpp"
#include "detail/Trident_HookProducts.hpp"

namespace Trident {

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
SaPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::SaPFactory(const Base& stock,
                                                                  const Teuchos::RCP<ProductLog>& log)
    : log_(log) {
  this->SetParameterList(stock.GetParameterList());
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void SaPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::BuildP(MueLu::Level& fineLevel,
                                                                   MueLu::Level& coarseLevel) const {
  const Teuchos::ParameterList& list = this->GetParameterList();
  auto tentative = this->GetFactory("P");
  if (tentative.is_null()) tentative = coarseLevel.GetFactoryManager()->GetFactory("Ptent");
  auto A = this->template Get<Teuchos::RCP<Matrix>>(fineLevel, "A");
  const auto Ptent = coarseLevel.Get<Teuchos::RCP<Matrix>>("P", tentative.get());
  // Without damping there is no product; the base class checks the parameters that exclude each other.
  if (Ptent.is_null()) return Base::BuildP(fineLevel, coarseLevel);  // without aggregates (MueLu 16)
  const bool enforces = list.get<bool>("sa: enforce constraints");
  if (list.get<double>("sa: damping factor") == 0 ||
      (enforces && list.get<bool>("tentative: calculate qr")) || !MueLuHooks::isTpetraCrs(*A) ||
      !MueLuHooks::isTpetraCrs(*Ptent)) {
    Base::BuildP(fineLevel, coarseLevel);
    return;
  }

  MueLu::FactoryMonitor monitor(*this, "Prolongator smoothing", coarseLevel);
  if (this->restrictionMode_) {
    MueLu::SubFactoryMonitor transposing(*this, "Transpose A", coarseLevel);
    A = MueLu::Utilities<Scalar, LocalOrdinal, GlobalOrdinal, Node>::Transpose(*A, true);
  }
  const auto kept = MueLuHooks::keptFor(*this, coarseLevel, "AP reuse data");
  if (!kept->isParameter("compute global constants")) kept->set("compute global constants", false);
  Step step;
  {
    MueLu::SubFactoryMonitor estimating(*this, "Eigenvalue estimate", coarseLevel);
    step = stepOf(*A);
  }
  Teuchos::RCP<Matrix> P;
  {
    MueLu::SubFactoryMonitor smoothing(*this, "Fused (I-omega*D^{-1} A)*Ptent", coarseLevel);
    const MueLuHooks::HookProducts<Scalar, LocalOrdinal, GlobalOrdinal, Node> products(
        "MueLu::SaP-" + std::to_string(coarseLevel.GetLevelID()), kept, log_);
    P = products.jacobi(step.omega, *step.inverseDiagonal, *A, *Ptent, MueLuHooks::graphIn<Matrix>(*kept));
    if (enforces) this->SatisfyPConstraints(A, P);
  }
  if (!this->restrictionMode_) {
    kept->set("graph", P);
    this->Set(coarseLevel, "AP reuse data", kept);
  }
  publish(coarseLevel, *Ptent, P);
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
auto SaPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::inverseOfRowSums(const Matrix& A) const
    -> Teuchos::RCP<Vector> {
  using Magnitude = typename Teuchos::ScalarTraits<Scalar>::magnitudeType;
  const Teuchos::ParameterList& list = this->GetParameterList();
  const double given = list.get<double>("sa: rowsumabs diagonal replacement tolerance");
  const Magnitude tolerance =
      given == -1 ? Teuchos::ScalarTraits<Scalar>::eps() * 100 : Teuchos::as<Magnitude>(given);
  const auto value = Teuchos::as<Scalar>(list.get<double>("sa: rowsumabs diagonal replacement value"));
  return MueLu::Utilities<Scalar, LocalOrdinal, GlobalOrdinal, Node>::GetLumpedMatrixDiagonal(
      A, true, tolerance, value, true);
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
auto SaPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::stepOf(Matrix& A) const -> Step {
  using Operators = MueLu::Utilities<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using Traits = Teuchos::ScalarTraits<Scalar>;
  const Teuchos::ParameterList& list = this->GetParameterList();
  const bool bySums = list.get<bool>("sa: use rowsumabs diagonal scaling");
  const auto given = Teuchos::as<Scalar>(list.get<double>("sa: max eigenvalue"));

  Step step;
  Scalar largest = given;
  if (given == -Traits::one()) {
    largest = A.GetMaxEigenvalueEstimate();
    if (largest == -Traits::one() || list.get<bool>("sa: calculate eigenvalue estimate")) {
      const auto iterations =
          Teuchos::as<LocalOrdinal>(list.get<int>("sa: eigenvalue estimate num iterations"));
      if (bySums) step.inverseDiagonal = inverseOfRowSums(A);
      largest = bySums ? Operators::PowerMethod(A, step.inverseDiagonal, iterations, 1e-4)
                       : Operators::PowerMethod(A, true, iterations, 1e-4);
    }
  }
  A.SetMaxEigenvalueEstimate(largest);
  if (step.inverseDiagonal.is_null())
    step.inverseDiagonal = bySums ? inverseOfRowSums(A) : Operators::GetMatrixDiagonalInverse(A);
  step.omega = Teuchos::as<Scalar>(list.get<double>("sa: damping factor")) / largest;
  this->GetOStream(MueLu::Statistics1) << "Prolongator damping factor = " << step.omega << std::endl;
  TEUCHOS_TEST_FOR_EXCEPTION(!std::isfinite(Traits::magnitude(step.omega)), MueLu::Exceptions::RuntimeError,
                             "Trident::SaPFactory: the largest eigenvalue is estimated as "
                                 << largest << ", which gives no damping factor");
  return step;
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void SaPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::publish(MueLu::Level& coarseLevel,
                                                                    const Matrix& Ptent,
                                                                    Teuchos::RCP<Matrix> P) const {
  const bool restricts = this->restrictionMode_;
  const std::string name = restricts ? "R" : "P";
  if (restricts) {
    MueLu::SubFactoryMonitor transposing(*this, "Transpose P", coarseLevel);
    P = MueLu::Utilities<Scalar, LocalOrdinal, GlobalOrdinal, Node>::Transpose(*P, true);
  }
  P->setObjectLabel(name + "_" + std::to_string(coarseLevel.GetLevelID()));
  this->Set(coarseLevel, name, P);
  if (Ptent.IsView("stridedMaps")) P->CreateView("stridedMaps", Teuchos::rcpFromRef(Ptent), restricts);
  if (this->IsPrint(MueLu::Statistics2)) {
    const auto what = Teuchos::rcp(new Teuchos::ParameterList());
    what->set("printLoadBalancingInfo", true).set("printCommInfo", true);
    this->GetOStream(MueLu::Statistics2)
        << MueLu::PerfUtils<Scalar, LocalOrdinal, GlobalOrdinal, Node>::PrintMatrixInfo(*P, name, what);
  }
}

}  // namespace Trident

#endif
