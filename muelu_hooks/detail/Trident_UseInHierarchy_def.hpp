#ifndef TRIDENT_USE_IN_HIERARCHY_DEF_HPP
#define TRIDENT_USE_IN_HIERARCHY_DEF_HPP

#include <MueLu_Factory.hpp>
#include <MueLu_FactoryManager.hpp>
#include <MueLu_Hierarchy.hpp>
#include <MueLu_HierarchyManager.hpp>
#include <MueLu_HierarchyUtils.hpp>
#include <MueLu_ParameterListInterpreter.hpp>
#include <MueLu_TpetraOperator.hpp>
#include <MueLu_Utilities.hpp>
#include <deque>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include "Trident_FactoryFactory.hpp"
#include "Trident_RAPFactory.hpp"
#include "Trident_SaPFactory.hpp"
#include "Trident_UseInHierarchy.hpp"
#include "detail/Trident_OpenMember.hpp"

namespace Trident {

namespace MueLuHooks {

/// Replaces factories in the managers of a hierarchy and in all factories that can be reached from them.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
class FactorySwitch {
 public:
  using HierarchyManager = MueLu::HierarchyManager<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

  explicit FactorySwitch(HierarchyManager& hierarchy) : hierarchy_(hierarchy) {
    for (std::size_t level = 0; level < hierarchy.getNumFactoryManagers(); ++level) {
      const auto manager =
          Teuchos::rcp_dynamic_cast<Manager>(hierarchy.GetFactoryManager(static_cast<int>(level)));
      if (manager.is_null()) continue;
      tables_.push_back(&HiddenMember<Manager, FactoryTable>::of(*manager));
      for (const auto& entry : *tables_.back()) reach(entry.second);
    }
    while (!next_.empty()) {
      const FactoryRCP factory = next_.front();
      next_.pop_front();
      for (const auto& input : inputsOf(*factory)) reach(input.second);
      const auto* rap = dynamic_cast<const StockRAP*>(factory.get());
      if (rap != nullptr)
        for (const auto& transfer : HiddenMember<StockRAP, FactoryList>::of(*rap)) reach(transfer);
    }
  }

  SwitchedFactories run(const HierarchyOptions& options) {
    SwitchedFactories switched;
    for (const FactoryRCP& factory : FactoryList(reached_)) {
      if (typeid(*factory) == typeid(StockRAP)) {
        const auto& stock = static_cast<const StockRAP&>(*factory);
        replace(factory, Teuchos::rcp(new RAP(stock, options.log)));
        ++switched.rap;
      } else if (options.prolongators && typeid(*factory) == typeid(StockSaP)) {
        replace(factory, Teuchos::rcp(new SaP(static_cast<const StockSaP&>(*factory), options.log)));
        ++switched.sap;
      }
    }
    relink();
    return switched;
  }

 private:
  using Manager = MueLu::FactoryManager<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using StockRAP = MueLu::RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using StockSaP = MueLu::SaPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using RAP = RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using SaP = SaPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

  /// The factories that a factory takes its inputs from, by name; null ones are left out.
  static FactoryTable inputsOf(const MueLu::FactoryBase& base) {
    FactoryTable inputs;
    const auto* factory = dynamic_cast<const MueLu::Factory*>(&base);
    if (factory == nullptr) return inputs;
    const Teuchos::ParameterList& list = factory->GetParameterList();
    for (auto entry = list.begin(); entry != list.end(); ++entry) {
      const std::string& name = list.name(entry);
      if (!list.isType<FactoryRCP>(name)) continue;
      const auto& input = list.get<FactoryRCP>(name);
      if (!input.is_null()) inputs[name] = input;
    }
    return inputs;
  }

  void reach(const FactoryRCP& factory) {
    if (factory.is_null() || !seen_.insert(factory.get()).second) return;
    reached_.push_back(factory);
    next_.push_back(factory);
  }

  void replace(const FactoryRCP& old, const FactoryRCP& successor) {
    successors_[old.get()] = successor;
    reached_.push_back(successor);  // its inputs may have been replaced too
  }

  void relink() {
    for (const FactoryRCP& factory : reached_) {
      for (const auto& input : inputsOf(*factory)) {
        const auto found = successors_.find(input.second.get());
        if (found == successors_.end()) continue;
        // Whoever reads a list has made these factories for one hierarchy, of which we are told to change
        // all.
        Teuchos::rcp_const_cast<MueLu::Factory>(Teuchos::rcp_dynamic_cast<const MueLu::Factory>(factory))
            ->SetFactory(input.first, found->second);
      }
    }
    for (FactoryTable* table : tables_)
      for (auto& entry : *table) {
        const auto found = successors_.find(entry.second.get());
        if (found != successors_.end()) entry.second = found->second;
      }
    for (auto& level : HiddenMember<HierarchyManager, Keeps>::of(hierarchy_))
      for (auto& keep : level.second) {
        const auto found = successors_.find(keep.second);
        if (found != successors_.end()) keep.second = found->second.get();
      }
  }

  HierarchyManager& hierarchy_;
  std::vector<FactoryTable*> tables_;
  FactoryList reached_;
  std::deque<FactoryRCP> next_;
  std::set<const MueLu::FactoryBase*> seen_;
  std::map<const MueLu::FactoryBase*, FactoryRCP> successors_;
};

/// Multivectors of "user data" as MueLu stores them in a level: Xpetra's.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
void wrapUserVector(Teuchos::ParameterList& userData, const std::string& name) {
  using Tpetra = Teuchos::RCP<Tpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>>;
  using Xpetra = Teuchos::RCP<Xpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>>;
  if (!userData.isType<Tpetra>(name)) return;
  const Xpetra wrapped = MueLu::TpetraMultiVector_To_XpetraMultiVector(userData.get<Tpetra>(name));
  userData.remove(name);
  userData.set(name, wrapped);
}

}  // namespace MueLuHooks

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
SwitchedFactories useInHierarchy(MueLu::HierarchyManager<Scalar, LocalOrdinal, GlobalOrdinal, Node>& manager,
                                 const HierarchyOptions& options) {
  return MueLuHooks::FactorySwitch<Scalar, LocalOrdinal, GlobalOrdinal, Node>(manager).run(options);
}

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
Teuchos::RCP<MueLu::TpetraOperator<Scalar, LocalOrdinal, GlobalOrdinal, Node>> createTpetraPreconditioner(
    const Teuchos::RCP<Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>>& A,
    const Teuchos::ParameterList& list, const HierarchyOptions& options) {
  using Coordinate = typename Teuchos::ScalarTraits<Scalar>::coordinateType;
  const char* const syntax = "parameterlist: syntax";
  if (list.isType<std::string>(syntax) && list.get<std::string>(syntax) == "ml")
    throw std::invalid_argument("Trident::createTpetraPreconditioner: lists in ML's syntax are not served");

  Teuchos::ParameterList given = list, serial, others;
  if (given.isSublist("user data")) {
    Teuchos::ParameterList& userData = given.sublist("user data");
    MueLuHooks::wrapUserVector<Coordinate, LocalOrdinal, GlobalOrdinal, Node>(userData, "Coordinates");
    MueLuHooks::wrapUserVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>(userData, "Nullspace");
  }
  MueLu::ExtractNonSerializableData(given, serial, others);
  std::string label = A->getObjectLabel();
  if (serial.isType<std::string>("hierarchy label")) {
    label = serial.get<std::string>("hierarchy label");
    serial.remove("hierarchy label");
  }

  const auto wrapped = MueLu::TpetraCrs_To_XpetraMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>(A);
  const auto factories =
      Teuchos::rcp(new FactoryFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>(options.log));
  MueLu::ParameterListInterpreter<Scalar, LocalOrdinal, GlobalOrdinal, Node> manager(
      serial, A->getDomainMap()->getComm(), factories);
  useInHierarchy<Scalar, LocalOrdinal, GlobalOrdinal, Node>(manager, options);
  const auto hierarchy = manager.CreateHierarchy(label);
  hierarchy->setlib(wrapped->getDomainMap()->lib());
  MueLu::HierarchyUtils<Scalar, LocalOrdinal, GlobalOrdinal, Node>::AddNonSerializableDataToHierarchy(
      manager, *hierarchy, others);
  hierarchy->GetLevel(0)->Set("A", wrapped);
  hierarchy->SetProcRankVerbose(A->getDomainMap()->getComm()->getRank());
  manager.SetupHierarchy(*hierarchy);
  return Teuchos::rcp(new MueLu::TpetraOperator<Scalar, LocalOrdinal, GlobalOrdinal, Node>(hierarchy));
}

}  // namespace Trident

#endif
