#ifndef TRIDENT_PRODUCT_FRAME_HPP
#define TRIDENT_PRODUCT_FRAME_HPP

#include <array>
#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "detail/Trident_CompleteC.hpp"
#include "detail/Trident_IdMap.hpp"
#include "exchange/Trident_NeededRows.hpp"
#include "multiply/Trident_TiledProduct.hpp"
#include "plan/Trident_Choice.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace detail {

/// The index spaces of one product of Tpetra matrices, and the ids of their columns in them.
template <class Types>
class ProductFrame {
 public:
  using matrix_type = typename Types::matrix_type;

  /// Ranks tell each other what they own: one all-gather over the context's communicator. The matrices must
  /// outlive the frame.
  ProductFrame(const Context& context, const matrix_type& A, const matrix_type& B, StateOfC stateOfC)
      : context_(context), A_(A), B_(B) {
    const Census mine{partOf(*A.getRowMap()),
                      partOf(*B.getRowMap()),
                      partOf(*B.getDomainMap()),
                      static_cast<std::int64_t>(A.getLocalMatrixDevice().values.extent(0)),
                      static_cast<std::int64_t>(B.getLocalMatrixDevice().values.extent(0)),
                      sameOnThisRank(*A.getDomainMap(), *B.getRowMap()) ? 1 : 0,
                      static_cast<std::int64_t>(stateOfC)};
    census_.resize(static_cast<std::size_t>(context_.topology().ranks()));
    checkMpi(MPI_Allgather(&mine, sizeof(Census), MPI_BYTE, census_.data(), sizeof(Census), MPI_BYTE,
                           context_.comm()),
             "MPI_Allgather");
    innerParts_ = parts(&Census::inner);
    columnParts_ = parts(&Census::columns);
  }

  /// Why Trident does not do this product; empty if it does. The same on all ranks.
  std::string notServed() const {
    if (replicated(*B_.getRowMap(), innerParts_)) return "op(B)'s row map gives some rows to several ranks";
    if (replicated(*B_.getDomainMap(), columnParts_))
      return "op(B)'s domain map gives some columns to several ranks";
    return {};
  }

  /// Numbers everything for a grid. Collective. Throws std::runtime_error on every rank if a column of op(A)
  /// or op(B) is missing in the map that should own it.
  void arrange(const NodeGrid& grid) {
    columns_.reset();  // looks into the spaces
    spaces_ = std::make_unique<ProductSpaces>(ProductSpaces{
        space(grid, &Census::rows, BlockOrder::bySlice), space(grid, &Census::inner, BlockOrder::bySlice),
        space(grid, &Census::columns, BlockOrder::byRank)});
    const IdMap<Types> inner(B_.getRowMap(), innerParts_, spaces_->inner);
    columns_ = std::make_unique<IdMap<Types>>(B_.getDomainMap(), columnParts_, spaces_->columns);
    idsOfA_ = inner.idsOf(A_.getColMap(), importerOfInner());
    idsOfB_ = columns_->idsOf(B_.getColMap(), B_.getGraph()->getImporter());
    std::string failure = missing(A_, idsOfA_, "op(A)", "op(B)'s row map");
    if (failure.empty()) failure = missing(B_, idsOfB_, "op(B)", "its domain map");
    agreeOrThrow(context_.comm(), failure);
  }

  const ProductSpaces& spaces() const { return *spaces_; }
  const IdMap<Types>& columns() const { return *columns_; }

  /// Inner ids of A's local columns, and column ids of B's.
  const std::vector<std::int64_t>& idsOfA() const { return idsOfA_; }
  const std::vector<std::int64_t>& idsOfB() const { return idsOfB_; }

  /// The state of C on the rank whose state overrules the others'.
  StateOfC stateOfC() const {
    std::int64_t state = 0;
    for (const Census& rank : census_) state = std::max(state, rank.stateOfC);
    return static_cast<StateOfC>(state);
  }

  std::int64_t ownRows() const { return census_[context_.rank()].rows.count; }
  std::int64_t ownInner() const { return census_[context_.rank()].inner.count; }

  /// Sums over all ranks; arrange() must have been called for a grid N x 1, whose needed rows are given.
  /// Collective: one all-reduce.
  ProductSizes sizes(const NeededRows& needed) const {
    ProductSizes sizes;
    const Topology& topology = context_.topology();
    sizes.nodes = topology.nodes();
    std::vector<std::int64_t> rowsOf(static_cast<std::size_t>(sizes.nodes), 0), entriesOf(rowsOf);
    for (int rank = 0; rank < topology.ranks(); ++rank) {
      const Census& owned = census_[rank];
      sizes.rows += owned.rows.count;
      sizes.inner += owned.inner.count;
      sizes.entriesA += owned.entriesA;
      sizes.entriesB += owned.entriesB;
      rowsOf[topology.nodeOf(rank)] += owned.inner.count;
      entriesOf[topology.nodeOf(rank)] += owned.entriesB;
    }
    // Whole numbers, whose sum is the same on all ranks: they decide the plan. A node's first rank speaks for
    // it.
    std::array<long long, 2> fetched{0, 0};
    for (int node = 0; node < sizes.nodes; ++node) {
      if (context_.slice() != 0 || node == context_.node() || rowsOf[node] == 0) continue;
      const IndexSpace& inner = spaces_->inner;
      const std::int64_t rows = needed.count(inner.blockStart(node), inner.blockStart(node + 1));
      const double meanLength = static_cast<double>(entriesOf[node]) / static_cast<double>(rowsOf[node]);
      fetched[0] += rows;
      fetched[1] += std::llround(static_cast<double>(rows) * meanLength);
    }
    checkMpi(MPI_Allreduce(MPI_IN_PLACE, fetched.data(), 2, MPI_LONG_LONG, MPI_SUM, context_.comm()),
             "MPI_Allreduce");
    sizes.neededRows = fetched[0];
    sizes.neededEntries = fetched[1];
    return sizes;
  }

 private:
  // What every rank tells about its part of a product before anything is decided.
  struct Census {
    MapPart rows;
    MapPart inner;
    MapPart columns;
    std::int64_t entriesA;
    std::int64_t entriesB;
    std::int64_t innerImporterFits;  // 1 if A's domain map is B's row map on this rank
    std::int64_t stateOfC;
  };

  template <class Map>
  static bool replicated(const Map& map, const std::vector<MapPart>& parts) {
    std::int64_t owned = 0;
    for (const MapPart& part : parts) owned += part.count;
    return owned != static_cast<std::int64_t>(map.getGlobalNumElements());
  }

  std::vector<MapPart> parts(MapPart Census::*dimension) const {
    std::vector<MapPart> all;
    for (const Census& rank : census_) all.push_back(rank.*dimension);
    return all;
  }

  IndexSpace space(const NodeGrid& grid, MapPart Census::*dimension, BlockOrder order) const {
    std::vector<std::int64_t> counts;
    for (const Census& rank : census_) counts.push_back((rank.*dimension).count);
    return IndexSpace(context_.topology(), grid, counts, order);
  }

  // A's own importer tells the owners of its columns, if B's rows lie as A's domain map says, on all ranks.
  Teuchos::RCP<const typename Types::import_type> importerOfInner() const {
    for (const Census& rank : census_)
      if (rank.innerImporterFits == 0) return Teuchos::null;
    return A_.getGraph()->getImporter();
  }

  static std::string missing(const matrix_type& X, const std::vector<std::int64_t>& ids, const char* what,
                             const char* where) {
    for (std::size_t c = 0; c < ids.size(); ++c)
      if (ids[c] < 0) {
        std::ostringstream text;
        text << errorPrefix() << what << " has column "
             << X.getColMap()->getGlobalElement(static_cast<typename Types::local_ordinal_type>(c))
             << ", which " << where << " lacks";
        return text.str();
      }
    return {};
  }

  const Context& context_;
  const matrix_type& A_;
  const matrix_type& B_;
  std::vector<Census> census_;
  std::vector<MapPart> innerParts_;
  std::vector<MapPart> columnParts_;
  std::unique_ptr<ProductSpaces> spaces_;
  std::unique_ptr<IdMap<Types>> columns_;
  std::vector<std::int64_t> idsOfA_;
  std::vector<std::int64_t> idsOfB_;
};

}  // namespace detail
}  // namespace Trident

#endif
