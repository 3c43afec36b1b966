#ifndef TRIDENT_FACTORY_FACTORY_DEF_HPP
#define TRIDENT_FACTORY_FACTORY_DEF_HPP

#include <MueLu_FactoryFactory_def.hpp>  // Build2 and BuildRAPFactory; MueLu 13.2 has them in _decl.hpp
#include <string>

#include "Trident_FactoryFactory.hpp"
#include "Trident_RAPFactory.hpp"
#include "Trident_SaPFactory.hpp"

namespace Trident {

template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
Teuchos::RCP<const MueLu::FactoryBase>
FactoryFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::BuildFactory(
    const Teuchos::ParameterEntry& param, const FactoryMap& factoryMapIn,
    const FactoryManagerMap& factoryManagersIn) const {
  using RAP = RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using SaP = SaPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  const bool listed = param.isList();
  Teuchos::ParameterList list =
      listed ? Teuchos::getValue<Teuchos::ParameterList>(param) : Teuchos::ParameterList();
  const std::string name =
      listed ? list.get<std::string>("factory", "") : Teuchos::getValue<std::string>(param);
  if (name == "TridentRAPFactory") {
    const auto factory = this->template BuildRAPFactory<RAP>(list, factoryMapIn, factoryManagersIn);
    factory->setLog(log_);
    return factory;
  }
  if (name == "TridentSaPFactory") {
    const auto factory = this->template Build2<SaP>(list, factoryMapIn, factoryManagersIn);
    factory->setLog(log_);
    return factory;
  }
  return Base::BuildFactory(param, factoryMapIn, factoryManagersIn);
}

}  // namespace Trident

#endif
