#ifndef TRIDENT_RAP_FACTORY_DEF_HPP
#define TRIDENT_RAP_FACTORY_DEF_HPP

#include <MueLu_Level.hpp>
#include <MueLu_Monitor.hpp>
#include <MueLu_PerfUtils.hpp>
#include <MueLu_RAPFactory.hpp>
#include <Xpetra_MatrixUtils.hpp>
#include <string>

#include "Trident_RAPFactory.hpp"
#include "detail/Trident_HookProducts.hpp"
#include "detail/Trident_OpenMember.hpp"

namespace Trident {

namespace MueLuHooks {

constexpr const char* tripleProductName = "rap: triple product";
constexpr const char* implicitName = "transpose: use implicit";

}  // namespace MueLuHooks

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::RAPFactory(const Base& stock,
                                                                  const Teuchos::RCP<ProductLog>& log)
    : log_(log) {
  this->SetParameterList(stock.GetParameterList());
  for (const auto& transfer : MueLuHooks::HiddenMember<Base, MueLuHooks::FactoryList>::of(stock))
    this->AddTransferFactory(transfer);
}

// The default is marked as one, as MueLu marks its own, so that what the user has said can be told from it.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
Teuchos::RCP<const Teuchos::ParameterList>
RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::GetValidParameterList() const {
  const auto list = Teuchos::rcp(new Teuchos::ParameterList(*Base::GetValidParameterList()));
  list->setEntry(MueLuHooks::tripleProductName, Teuchos::ParameterEntry(false, true));
  return list;
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
bool RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::serves(MueLu::Level& fineLevel,
                                                                   MueLu::Level& coarseLevel) const {
  const auto isServed = [](const Teuchos::RCP<Matrix>& A) {
    return !A.is_null() && MueLuHooks::isTpetraCrs(*A);  // without aggregates there is no P (MueLu 16)
  };
  return isServed(this->template Get<Teuchos::RCP<Matrix>>(fineLevel, "A")) &&
         isServed(this->template Get<Teuchos::RCP<Matrix>>(coarseLevel, "P")) &&
         (this->GetParameterList().template get<bool>(MueLuHooks::implicitName) ||
          isServed(this->template Get<Teuchos::RCP<Matrix>>(coarseLevel, "R")));
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
bool RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::inOneProduct(
    const MueLu::Level& coarseLevel) const {
  const Teuchos::ParameterEntry& triple = this->GetParameterList().getEntry(MueLuHooks::tripleProductName);
  if (!triple.isDefault()) return Teuchos::getValue<bool>(triple);
  return !coarseLevel.IsKept("AP reuse data", this, MueLu::All);
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::Build(MueLu::Level& fineLevel,
                                                                  MueLu::Level& coarseLevel) const {
  if (!serves(fineLevel, coarseLevel)) {
    Base::Build(fineLevel, coarseLevel);
    return;
  }
  {
    MueLu::FactoryMonitor monitor(*this, "Computing Ac", coarseLevel);
    Teuchos::RCP<Matrix> Ac = inOneProduct(coarseLevel) ? multiplyRAP(fineLevel, coarseLevel)
                                                        : multiplyTwice(fineLevel, coarseLevel);
    repair(Ac);
    if (this->IsPrint(MueLu::Statistics2)) {
      const auto what = Teuchos::rcp(new Teuchos::ParameterList());
      what->set("printLoadBalancingInfo", true).set("printCommInfo", true);
      this->GetOStream(MueLu::Statistics2)
          << MueLu::PerfUtils<Scalar, LocalOrdinal, GlobalOrdinal, Node>::PrintMatrixInfo(*Ac, "Ac", what);
    }
    Ac->setObjectLabel("A_" + std::to_string(coarseLevel.GetLevelID()));
    this->Set(coarseLevel, "A", Ac);
  }
  project(coarseLevel);
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
auto RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::multiplyRAP(MueLu::Level& fineLevel,
                                                                        MueLu::Level& coarseLevel) const
    -> Teuchos::RCP<Matrix> {
  const bool implicit = this->GetParameterList().template get<bool>(MueLuHooks::implicitName);
  const std::string how = implicit ? "implicit" : "explicit";
  const auto A = this->template Get<Teuchos::RCP<Matrix>>(fineLevel, "A");
  const auto P = this->template Get<Teuchos::RCP<Matrix>>(coarseLevel, "P");
  const auto R = implicit ? P : this->template Get<Teuchos::RCP<Matrix>>(coarseLevel, "R");
  const auto kept = MueLuHooks::keptFor(*this, coarseLevel, "RAP reuse data");
  kept->set("compute global constants", true);

  MueLu::SubFactoryMonitor monitor(*this, "MxMxM: R x A x P (" + how + ")", coarseLevel);
  const MueLuHooks::HookProducts<Scalar, LocalOrdinal, GlobalOrdinal, Node> products(
      MueLu::FormattingHelper::getColonLabel(coarseLevel.getObjectLabel()) + "MueLu::R*A*P-" + how + "-" +
          std::to_string(coarseLevel.GetLevelID()),
      kept, log_);
  const auto Ac = products.multiplyRAP(*R, implicit, *A, *P, MueLuHooks::graphIn<Matrix>(*kept));
  kept->set("graph", Ac);
  this->Set(coarseLevel, "RAP reuse data", kept);
  return Ac;
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
auto RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::multiplyTwice(MueLu::Level& fineLevel,
                                                                          MueLu::Level& coarseLevel) const
    -> Teuchos::RCP<Matrix> {
  using Products = MueLuHooks::HookProducts<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  const bool implicit = this->GetParameterList().template get<bool>(MueLuHooks::implicitName);
  const std::string prefix = MueLu::FormattingHelper::getColonLabel(coarseLevel.getObjectLabel()) + "MueLu::";
  const std::string level = "-" + std::to_string(coarseLevel.GetLevelID());
  const auto A = this->template Get<Teuchos::RCP<Matrix>>(fineLevel, "A");
  const auto P = this->template Get<Teuchos::RCP<Matrix>>(coarseLevel, "P");

  const auto keptAP = MueLuHooks::keptFor(*this, coarseLevel, "AP reuse data");
  if (!keptAP->isParameter("compute global constants")) keptAP->set("compute global constants", false);
  Teuchos::RCP<Matrix> AP;
  {
    MueLu::SubFactoryMonitor monitor(*this, "MxM: A x P", coarseLevel);
    AP = Products(prefix + "A*P" + level, keptAP, log_)
             .multiply(*A, false, *P, MueLuHooks::graphIn<Matrix>(*keptAP));
  }
  keptAP->set("graph", AP);
  this->Set(coarseLevel, "AP reuse data", keptAP);

  const auto kept = MueLuHooks::keptFor(*this, coarseLevel, "RAP reuse data");
  kept->set("compute global constants", true);
  const auto R = implicit ? P : this->template Get<Teuchos::RCP<Matrix>>(coarseLevel, "R");
  const std::string name = implicit ? "R*(AP)-implicit" : "R*(AP)-explicit";
  MueLu::SubFactoryMonitor monitor(*this, implicit ? "MxM: P' x (AP) (implicit)" : "MxM: R x (AP) (explicit)",
                                   coarseLevel);
  const auto Ac = Products(prefix + name + level, kept, log_)
                      .multiply(*R, implicit, *AP, MueLuHooks::graphIn<Matrix>(*kept));
  kept->set("graph", Ac);
  this->Set(coarseLevel, "RAP reuse data", kept);
  return Ac;
}

// Also forgets what was known of the values of an Ac that is used again.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::repair(Teuchos::RCP<Matrix>& Ac) const {
  using Magnitude = typename Teuchos::ScalarTraits<Scalar>::magnitudeType;
  using Repair = Xpetra::MatrixUtils<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  const Teuchos::ParameterList& list = this->GetParameterList();
  Ac->SetMaxEigenvalueEstimate(-Teuchos::ScalarTraits<Scalar>::one());

  const auto& floors = list.template get<Teuchos::Array<double>>("rap: relative diagonal floor");
  if (floors.size() > 0) Repair::RelativeDiagonalBoost(Ac, floors(), this->GetOStream(MueLu::Statistics2));

  const bool fix = list.template get<bool>("rap: fix zero diagonals");
  const bool repairs = fix || list.template get<bool>("RepairMainDiagonal");
  if (repairs || list.template get<bool>("CheckMainDiagonal")) {
    const char* const name = "rap: fix zero diagonals threshold";
    const auto threshold = list.template isType<Magnitude>(name)
                               ? list.template get<Magnitude>(name)
                               : Teuchos::as<Magnitude>(list.template get<double>(name));
    const auto replacement =
        Teuchos::as<Scalar>(list.template get<double>("rap: fix zero diagonals replacement"));
    Repair::CheckRepairMainDiagonal(Ac, repairs, this->GetOStream(MueLu::Warnings1), threshold, replacement);
  }
#ifdef HAVE_MUELU_DEBUG
  Repair::checkLocalRowMapMatchesColMap(*Ac);
#endif
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::project(MueLu::Level& coarseLevel) const {
  const auto& transfers = MueLuHooks::HiddenMember<Base, MueLuHooks::FactoryList>::of(*this);
  if (transfers.empty()) return;
  MueLu::SubFactoryMonitor monitor(*this, "Projections", coarseLevel);
  for (const auto& transfer : transfers) {
    this->GetOStream(MueLu::Runtime0)
        << "RAPFactory: call transfer factory: " << transfer->description() << std::endl;
    transfer->CallBuild(coarseLevel);
    // Nobody gets this data through Get, which would release what the transfer factory has asked for.
    coarseLevel.Release(*transfer);
  }
}

}  // namespace Trident

#endif
