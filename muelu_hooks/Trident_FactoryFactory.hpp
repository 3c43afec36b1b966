#ifndef TRIDENT_FACTORY_FACTORY_HPP
#define TRIDENT_FACTORY_FACTORY_HPP

#include <MueLu_FactoryFactory.hpp>
#include <Teuchos_RCP.hpp>

#include "Trident_ProductLog.hpp"

namespace Trident {

/// Knows "TridentRAPFactory" and "TridentSaPFactory" beside all of MueLu's factories, for parameter lists
/// with "Factories" and "Hierarchy":
///
///     MueLu::ParameterListInterpreter<...> manager(list, comm, Teuchos::rcp(new
///     Trident::FactoryFactory<...>()));
///
/// Both names take the parameters of RAPFactory ("TransferFactories" too) and SaPFactory. No communication.
/// Throws MueLu::Exceptions::RuntimeError for a name that MueLu does not know either.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
class FactoryFactory : public MueLu::FactoryFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node> {
 public:
  using Base = MueLu::FactoryFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using FactoryMap = std::map<std::string, Teuchos::RCP<const MueLu::FactoryBase>>;
  using FactoryManagerMap = std::map<std::string, Teuchos::RCP<MueLu::FactoryManagerBase>>;

  /// The factories that are built append their products to `log` (shared with the caller) if that is not
  /// null.
  explicit FactoryFactory(const Teuchos::RCP<ProductLog>& log = Teuchos::null) : log_(log) {}

  Teuchos::RCP<const MueLu::FactoryBase> BuildFactory(
      const Teuchos::ParameterEntry& param, const FactoryMap& factoryMapIn,
      const FactoryManagerMap& factoryManagersIn) const override;

 private:
  Teuchos::RCP<ProductLog> log_;
};

}  // namespace Trident

#endif
