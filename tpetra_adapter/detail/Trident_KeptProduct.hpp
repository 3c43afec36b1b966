#ifndef TRIDENT_KEPT_PRODUCT_HPP
#define TRIDENT_KEPT_PRODUCT_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "detail/Trident_CompleteC.hpp"
#include "detail/Trident_Computation.hpp"
#include "detail/Trident_PatternPrint.hpp"
#include "detail/Trident_ResultRows.hpp"

namespace Trident {
namespace detail {

/// What a product's pattern depends on, on this rank: if nothing of it has changed on any rank, the product
/// can be done again with values only.
struct ProductPrint {
  std::string call;  ///< parameters and flags
  std::uint64_t R = 0;
  std::uint64_t A = 0;
  std::uint64_t zerosOfLeft = 0;  ///< of R and A
  std::uint64_t B = 0;

  bool operator==(const ProductPrint& other) const {
    return call == other.call && R == other.R && A == other.A && zerosOfLeft == other.zerosOfLeft &&
           B == other.B;
  }
};

template <class Types>
ProductPrint printOfProduct(const std::string& call, const Factors<Types>& factors) {
  ProductPrint print{call, 0, printOfPattern(*factors.A), printOfZeros(*factors.A, 0),
                     printOfPattern(*factors.B)};
  if (factors.R != nullptr) {
    print.R = printOfPattern(*factors.R);
    print.zerosOfLeft = printOfZeros(*factors.R, print.zerosOfLeft);
  }
  return print;
}

/// A product that was done once and is kept with C's graph, as long as that lives.
template <class Types>
struct KeptProduct {
  using Tiles = typename Types::tile_types;

  ProductPrint print;

  /// C's maps: with others, though equal ones, C would get another importer. They outlive the product, and
  /// with them its communicator, whatever becomes of A and B.
  ResultMaps<Types> maps;
  Teuchos::RCP<const typename Types::map_type> columnMap;

  std::unique_ptr<Computation<Types>> computation;

  /// The order of the product's entries in their rows, and, unless C's graph is the product's own, the place
  /// of each in C.
  std::unique_ptr<RowOrder<Types>> order;
  std::vector<std::int64_t> places;
  bool ownsGraph = true;

  /// The column of the column block that each local column of C is; empty unless values can be summed
  /// straight into C's pattern.
  std::vector<typename Tiles::ordinal_type> blockColumnOf;

  /// Whether this is the product that `asked` describes, and C's entries stand where they stood.
  bool serves(const ProductPrint& asked, const typename Types::matrix_type& C) const {
    return print == asked && columnMap.get() == C.getColMap().get();
  }
};

inline const char* nameOfKept() { return "Trident::KeptProduct"; }

/// The product kept with C's graph; null if there is none.
template <class Types>
std::shared_ptr<KeptProduct<Types>> keptWith(const typename Types::matrix_type& C) {
  const auto graph = C.getCrsGraph();
  if (graph.is_null()) return nullptr;
  const auto found =
      Teuchos::get_optional_extra_data<std::shared_ptr<KeptProduct<Types>>>(graph, nameOfKept());
  return found.is_null() ? nullptr : *found;
}

/// Keeps a product with C's graph, in place of another.
template <class Types>
void keepWith(const typename Types::matrix_type& C, const std::shared_ptr<KeptProduct<Types>>& kept) {
  auto graph = C.getCrsGraph();
  Teuchos::set_extra_data(kept, nameOfKept(), Teuchos::inOutArg(graph), Teuchos::PRE_DESTROY, false);
}

}  // namespace detail
}  // namespace Trident

#endif
