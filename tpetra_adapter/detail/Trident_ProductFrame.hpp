#ifndef TRIDENT_PRODUCT_FRAME_HPP
#define TRIDENT_PRODUCT_FRAME_HPP

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "detail/Trident_Census.hpp"
#include "detail/Trident_IdMap.hpp"
#include "multiply/Trident_TiledProduct.hpp"
#include "plan/Trident_Choice.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace detail {

/// The maps that a product's columns are found by.
template <class Types>
struct FrameMaps {
  using map_type = typename Types::map_type;
  using import_type = typename Types::import_type;
  using matrix_type = typename Types::matrix_type;

  Teuchos::RCP<const map_type> inner;  ///< owns A's columns: B's row map, or the domain map of a transposed A
  Teuchos::RCP<const map_type> columns;  ///< owns B's columns
  Teuchos::RCP<const map_type> columnsOfA;
  Teuchos::RCP<const import_type> importerOfA;
  Teuchos::RCP<const map_type> columnsOfB;  ///< null: B is no Tpetra matrix, its columns are known already
  Teuchos::RCP<const import_type> importerOfB;

  /// Of A * B.
  static FrameMaps of(const matrix_type& A, const matrix_type& B) {
    return {B.getRowMap(), B.getDomainMap(),           A.getColMap(), A.getGraph()->getImporter(),
            B.getColMap(), B.getGraph()->getImporter()};
  }
};

/// The index spaces of one product of Tpetra matrices, and the ids of their columns in them.
template <class Types>
class ProductFrame {
 public:
  using map_type = typename Types::map_type;

  /// `census` has what every rank told. All must outlive the frame.
  ProductFrame(const Context& context, const FrameMaps<Types>& maps, const std::vector<RankCensus>& census)
      : context_(context), maps_(maps), census_(census) {
    innerParts_ = parts(&RankCensus::inner);
    columnParts_ = parts(&RankCensus::columns);
    importersServe_ = std::all_of(census.begin(), census.end(),
                                  [](const RankCensus& rank) { return rank.importersServe == 1; });
  }

  /// Whether a map, of which the ranks own these parts, gives some indices to several ranks.
  static bool replicated(const map_type& map, const std::vector<MapPart>& parts) {
    std::int64_t owned = 0;
    for (const MapPart& part : parts) owned += part.count;
    return owned != static_cast<std::int64_t>(map.getGlobalNumElements());
  }

  /// Why Trident does not do this product; empty if it does. The same on all ranks.
  std::string notServed() const {
    if (replicated(*maps_.inner, innerParts_)) return "op(B)'s row map gives some rows to several ranks";
    if (replicated(*maps_.columns, columnParts_))
      return "op(B)'s domain map gives some columns to several ranks";
    return {};
  }

  /// Numbers everything for a plan's grid. Collective where importers do not tell all owners. Throws
  /// std::runtime_error on every rank if a column of op(A) or op(B) is missing in the map that should own it.
  void arrange(const Plan& plan) {
    columns_.reset();  // looks into the spaces
    const auto innerOrder = plan.source == TileSource::owners ? BlockOrder::byRank : BlockOrder::bySlice;
    spaces_ = std::make_shared<const ProductSpaces>(
        ProductSpaces{space(plan.grid, &RankCensus::rows, BlockOrder::bySlice),
                      space(plan.grid, &RankCensus::inner, innerOrder),
                      space(plan.grid, &RankCensus::columns, BlockOrder::byRank)});
    const IdMap<Types> inner(maps_.inner, innerParts_, spaces_->inner);
    columns_ = std::make_unique<IdMap<Types>>(maps_.columns, columnParts_, spaces_->columns);
    idsOfA_ = inner.idsOf(maps_.columnsOfA, importersServe_ ? maps_.importerOfA : Teuchos::null);
    if (!maps_.columnsOfB.is_null()) idsOfB_ = columns_->idsOf(maps_.columnsOfB, maps_.importerOfB);
    if (importersServe_) return;  // they have found all columns
    std::string failure = missing(*maps_.columnsOfA, idsOfA_, "op(A)", "op(B)'s row map");
    if (failure.empty() && !maps_.columnsOfB.is_null())
      failure = missing(*maps_.columnsOfB, idsOfB_, "op(B)", "its domain map");
    agreeOrThrow(context_.comm(), failure);
  }

  /// Whether A's importer tells the owners of B's rows who needs them, on all ranks.
  bool importersServe() const { return importersServe_; }

  const ProductSpaces& spaces() const { return *spaces_; }
  const std::shared_ptr<const ProductSpaces>& sharedSpaces() const { return spaces_; }
  const IdMap<Types>& columns() const { return *columns_; }

  /// Inner ids of A's local columns, and column ids of B's.
  const std::vector<std::int64_t>& idsOfA() const { return idsOfA_; }
  const std::vector<std::int64_t>& idsOfB() const { return idsOfB_; }

  /// The state of C on the rank whose state overrules the others'.
  StateOfC stateOfC() const {
    std::int64_t state = 0;
    for (const RankCensus& rank : census_) state = std::max(state, rank.stateOfC);
    return static_cast<StateOfC>(state);
  }

  /// Sums over all ranks.
  ProductSizes sizes() const {
    ProductSizes sizes;
    sizes.nodes = context_.topology().nodes();
    sizes.ranks = context_.topology().ranks();
    std::int64_t entriesC = 0;
    for (const RankCensus& rank : census_) {
      sizes.columns += rank.columns.count;
      entriesC += rank.entriesC;
      sizes.rows += rank.rows.count;
      sizes.inner += rank.inner.count;
      sizes.entriesA += rank.entriesA;
      sizes.entriesB += rank.entriesB;
      sizes.needed.rows += rank.neededRows;
      sizes.needed.entries += rank.neededEntries;
    }
    const double shape = static_cast<double>(sizes.rows) * static_cast<double>(sizes.columns);
    sizes.entriesCAtMost =
        stateOfC() == StateOfC::graph ? entriesC : static_cast<std::int64_t>(std::min(shape, 9e18));
    return sizes;
  }

 private:
  std::vector<MapPart> parts(MapPart RankCensus::*dimension) const {
    std::vector<MapPart> all;
    for (const RankCensus& rank : census_) all.push_back(rank.*dimension);
    return all;
  }

  IndexSpace space(const NodeGrid& grid, MapPart RankCensus::*dimension, BlockOrder order) const {
    std::vector<std::int64_t> counts;
    for (const RankCensus& rank : census_) counts.push_back((rank.*dimension).count);
    return IndexSpace(context_.topology(), grid, counts, order);
  }

  static std::string missing(const map_type& columns, const std::vector<std::int64_t>& ids, const char* what,
                             const char* where) {
    for (std::size_t c = 0; c < ids.size(); ++c)
      if (ids[c] < 0) {
        std::ostringstream text;
        text << errorPrefix() << what << " has column "
             << columns.getGlobalElement(static_cast<typename Types::local_ordinal_type>(c)) << ", which "
             << where << " lacks";
        return text.str();
      }
    return {};
  }

  const Context& context_;
  FrameMaps<Types> maps_;
  const std::vector<RankCensus>& census_;
  bool importersServe_ = false;
  std::vector<MapPart> innerParts_;
  std::vector<MapPart> columnParts_;
  std::shared_ptr<const ProductSpaces> spaces_;
  std::unique_ptr<IdMap<Types>> columns_;
  std::vector<std::int64_t> idsOfA_;
  std::vector<std::int64_t> idsOfB_;
};

}  // namespace detail
}  // namespace Trident

#endif
