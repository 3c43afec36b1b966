// The factories for the types that the installed MueLu has.

#include <TpetraCore_ETIHelperMacros.h>

#include <MueLu_FactoryManager.hpp>
#include <MueLu_HierarchyManager.hpp>

#include "detail/Trident_FactoryFactory_def.hpp"
#include "detail/Trident_OpenMember.hpp"
#include "detail/Trident_RAPFactory_def.hpp"
#include "detail/Trident_SaPFactory_def.hpp"
#include "detail/Trident_UseInHierarchy_def.hpp"

#define TRIDENT_OPEN_MUELU(OWNER, TYPE, MEMBER, SC, LO, GO, NO)                                            \
  template struct Trident::MueLuHooks::OpenMember<MueLu::OWNER<SC, LO, GO, NO>, Trident::MueLuHooks::TYPE, \
                                                  &MueLu::OWNER<SC, LO, GO, NO>::MEMBER>;

#define TRIDENT_MUELU_INSTANT(SC, LO, GO, NO)                                                \
  TRIDENT_OPEN_MUELU(RAPFactory, FactoryList, transferFacts_, SC, LO, GO, NO)                \
  TRIDENT_OPEN_MUELU(FactoryManager, FactoryTable, factoryTable_, SC, LO, GO, NO)            \
  TRIDENT_OPEN_MUELU(HierarchyManager, Keeps, keep_, SC, LO, GO, NO)                         \
  template class Trident::RAPFactory<SC, LO, GO, NO>;                                        \
  template class Trident::SaPFactory<SC, LO, GO, NO>;                                        \
  template class Trident::FactoryFactory<SC, LO, GO, NO>;                                    \
  template Trident::SwitchedFactories Trident::useInHierarchy<SC, LO, GO, NO>(               \
      MueLu::HierarchyManager<SC, LO, GO, NO>&, const Trident::HierarchyOptions&);           \
  template Teuchos::RCP<MueLu::TpetraOperator<SC, LO, GO, NO>>                               \
  Trident::createTpetraPreconditioner<SC, LO, GO, NO>(                                       \
      const Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>>&, const Teuchos::ParameterList&, \
      const Trident::HierarchyOptions&);

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_MUELU_INSTANT)
