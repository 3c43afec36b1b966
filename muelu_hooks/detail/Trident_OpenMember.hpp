#ifndef TRIDENT_OPEN_MEMBER_HPP
#define TRIDENT_OPEN_MEMBER_HPP

#include <MueLu_FactoryBase.hpp>
#include <Teuchos_RCP.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace Trident {
namespace MueLuHooks {

using FactoryRCP = Teuchos::RCP<const MueLu::FactoryBase>;
using FactoryList = std::vector<FactoryRCP>;
using FactoryTable = std::map<std::string, FactoryRCP>;
using Keeps = std::map<int, std::vector<std::pair<std::string, const MueLu::FactoryBase*>>>;

/// The member of type Type of a class of MueLu that is hidden, and that no function gives: RAPFactory has its
/// transfer factories to itself, FactoryManager its table, HierarchyManager what levels keep. Without them an
/// easy list cannot be served, as it makes MueLu::RAPFactory objects and fills these in. C++ lets an explicit
/// instantiation name hidden members ([temp.spec]); MueLu renaming one is a compile error in
/// Trident_MueLuHooks.cpp, nothing worse.
template <class Owner, class Type>
struct HiddenMember {
  inline static Type Owner::*pointer = nullptr;

  static Type& of(Owner& owner) { return owner.*pointer; }
  static const Type& of(const Owner& owner) { return owner.*pointer; }
};

/// Explicitly instantiated, sets HiddenMember when the library is loaded.
template <class Owner, class Type, Type Owner::*member>
struct OpenMember {
  static const bool opened;
};

template <class Owner, class Type, Type Owner::*member>
const bool OpenMember<Owner, Type, member>::opened = (HiddenMember<Owner, Type>::pointer = member, true);

}  // namespace MueLuHooks
}  // namespace Trident

#endif
