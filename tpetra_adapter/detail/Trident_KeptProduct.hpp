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

  std::uint64_t number() const {
    const std::uint64_t parts[] = {R, A, zerosOfLeft, B};
    return printOf(parts, 4, printOf(call.data(), call.size(), 1));
  }

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

/// C's pattern as a product found it, on this rank, without the maps, which would keep a communicator.
template <class Types>
struct ResultPattern {
  using Tiles = typename Types::tile_types;

  typename Tiles::Offsets rowPtr;  ///< views of the first C's, as long as that lives
  typename Tiles::Ordinals columns;
  std::uint64_t print = 0;  ///< of both, in case somebody writes into them
  std::vector<typename Types::global_ordinal_type> otherGlobals;
  AskedColumns others;   ///< columns of other ranks, by their owners
  AskedColumns asking;   ///< this rank's columns that others have
  Settlement constants;  ///< of all ranks

  bool isIntact() const { return print == printed(); }
  std::uint64_t printed() const {
    return printOf(columns.data(), columns.extent(0), printOf(rowPtr.data(), rowPtr.extent(0), 1));
  }
};

/// A computation that was done once and can be done again, with what is needed to put its values in place.
template <class Types>
struct KeptComputation {
  using Tiles = typename Types::tile_types;

  ProductPrint print;
  std::unique_ptr<Computation<Types>> computation;
  std::unique_ptr<RowOrder<Types>> order;  ///< of the product's entries in their rows

  /// If C's graph is the product's own: it, and the column of the column block that each of its local columns
  /// is, unless values cannot be summed straight into a pattern.
  ResultPattern<Types> pattern;
  std::vector<typename Tiles::ordinal_type> blockColumnOf;
};

/// A product that is kept with C's graph, as long as that lives.
template <class Types>
struct KeptProduct {
  std::shared_ptr<KeptComputation<Types>> common;

  /// C's maps: with others, though equal ones, C would get another importer. They outlive the product, and
  /// with them its communicator, whatever becomes of A and B.
  ResultMaps<Types> maps;
  Teuchos::RCP<const typename Types::map_type> columnMap;

  /// Unless C's graph is the product's own, the place of each of the product's entries in C.
  std::vector<std::int64_t> places;
  bool ownsGraph = true;

  /// Whether this is the product that `asked` describes, and C's entries stand where they stood.
  bool serves(const ProductPrint& asked, const typename Types::matrix_type& C) const {
    return common->print == asked && columnMap.get() == C.getColMap().get();
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
