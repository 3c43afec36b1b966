#ifndef TRIDENT_CHAIN_PRODUCT_HPP
#define TRIDENT_CHAIN_PRODUCT_HPP

#include <memory>
#include <string>
#include <vector>

#include "detail/Trident_Finish.hpp"
#include "detail/Trident_PlanCompletion.hpp"
#include "exchange/Trident_TraceFile.hpp"
#include "multiply/Trident_TiledProduct.hpp"
#include "observe/Trident_FailingTogether.hpp"
#include "observe/Trident_Waiting.hpp"

namespace Trident {
namespace detail {

/// What a TiledMatrix holds.
template <class Types>
struct TiledState {
  using map_type = typename Types::map_type;
  using Tiles = typename Types::tile_types;

  Context* context = nullptr;
  Plan plan;
  Teuchos::RCP<const map_type> rowMap, domainMap, rangeMap;
  std::vector<MapPart> rowParts, columnParts;  ///< of every rank: of the row map and of the domain map
  std::shared_ptr<const ProductSpaces> spaces;
  std::unique_ptr<TiledProduct<Tiles>> product;
  CsrRows<Tiles> tile;
};

/// One operand: a Tpetra matrix or a tiled one. Not owned.
template <class Types>
struct ChainOperand {
  const typename Types::matrix_type* rows;
  const TiledState<Types>* tiled;

  bool isTiled() const { return tiled != nullptr; }
  Teuchos::RCP<const typename Types::map_type> rowMap() const {
    return isTiled() ? tiled->rowMap : rows->getRowMap();
  }
  Teuchos::RCP<const typename Types::map_type> domainMap() const {
    return isTiled() ? tiled->domainMap : rows->getDomainMap();
  }
  Teuchos::RCP<const typename Types::map_type> rangeMap() const {
    return isTiled() ? tiled->rangeMap : rows->getRangeMap();
  }
};

/// One product of a chain.
template <class Types>
class ChainProduct {
 public:
  using matrix_type = typename Types::matrix_type;
  using map_type = typename Types::map_type;
  using Tiles = typename Types::tile_types;

  ChainProduct(const ChainOperand<Types>& A, const ChainOperand<Types>& B,
               const Teuchos::RCP<Teuchos::ParameterList>& params)
      : A_(A), B_(B), real_(Context::of(mpiCommOf(*A.rowMap()), "")), opening_(real_, params) {}

  /// Collective.
  std::shared_ptr<TiledState<Types>> multiply() {
    return failingTogether(opening_.comm(), [this] { return multiplyHere(); });
  }

 private:
  std::shared_ptr<TiledState<Types>> multiplyHere() {
    opening_.refuse(refusal());
    opening_.expectSame({A_.isTiled(), B_.isTiled()});
    opening_.agree();
    const Parameters& parameters = opening_.parameters();
    Context& context = A_.isTiled()   ? *A_.tiled->context
                       : B_.isTiled() ? *B_.tiled->context
                                      : Context::of(mpiCommOf(*A_.rowMap()), parameters.ranksPerNode);
    auto C = std::make_shared<TiledState<Types>>();
    C->context = &context;
    C->rowMap = A_.rowMap();
    C->rangeMap = A_.rangeMap();
    C->domainMap = B_.domainMap();
    const std::vector<MapPart> innerParts = gatherParts(*C);
    requireOneOwner(C->rowMap, C->rowParts);
    requireOneOwner(B_.rowMap(), innerParts);
    requireOneOwner(C->domainMap, C->columnParts);
    NeededOfOwner owner;
    const bool ownersKnow = makePlan(*C, owner);
    C->spaces = spacesFor(*C, innerParts);
    const LocalRows<Tiles> A = operandA(*C, innerParts);
    const LocalRows<Tiles> B = operandB(*C);
    C->product = std::make_unique<TiledProduct<Tiles>>(context, C->plan, C->spaces);
    C->product->report() = reportOf(context, C->plan);
    const ObservedProduct observed(context, C->product->report().engine);
    C->tile = C->product->multiplyToTile(A, B, ownersKnow ? &owner : nullptr);
    if (C->plan.grid.cols == 1) agreeOrThrow(context.comm(), C->product->failure());
    return C;
  }

  // Local.
  std::string refusal() const {
    std::ostringstream text;
    text << "Trident::multiplyTiled(): ";
    for (const auto* operand : {&A_, &B_})
      if (!operand->isTiled() && !operand->rows->isFillComplete())
        return text.str() + "Matrix " + (operand == &A_ ? "A" : "B") + " is not fill complete.";
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(mpiCommOf(*A_.rowMap()), mpiCommOf(*B_.rowMap()), &relation);
    if (relation != MPI_IDENT && relation != MPI_CONGRUENT)
      return text.str() + "A and B are distributed over different communicators";
    const auto inner = A_.domainMap()->getGlobalNumElements();
    if (inner != B_.rowMap()->getGlobalNumElements()) {
      text << "A has " << inner << " columns and B " << B_.rowMap()->getGlobalNumElements() << " rows";
      return text.str();
    }
    if (A_.isTiled() && !sameOnThisRank(*A_.domainMap(), *B_.rowMap()))
      return text.str() + "the tiled A's domain map is not distributed as B's row map is";
    if (A_.isTiled() && B_.isTiled() &&
        (A_.tiled->context != B_.tiled->context || !(A_.tiled->plan.grid == B_.tiled->plan.grid))) {
      text << "A lies in tiles of a grid " << A_.tiled->plan.grid << ", B in those of a grid "
           << B_.tiled->plan.grid << "; make both with the same \"trident: grid\"";
      return text.str();
    }
    return {};
  }

  // Fills in the parts of C's maps; returns those of the inner dimension. One all-gather.
  std::vector<MapPart> gatherParts(TiledState<Types>& C) const {
    struct Parts {
      MapPart rows, inner, columns;
    };
    const Parts mine{partOf(*C.rowMap), partOf(*B_.rowMap()), partOf(*C.domainMap)};
    std::vector<Parts> all(static_cast<std::size_t>(C.context->topology().ranks()));
    checkMpi(
        watchedAllgather(&mine, sizeof(Parts), MPI_BYTE, all.data(), C.context->comm(), "the parts of maps"),
        "MPI_Allgather");
    std::vector<MapPart> inner;
    for (const Parts& rank : all) {
      C.rowParts.push_back(rank.rows);
      inner.push_back(rank.inner);
      C.columnParts.push_back(rank.columns);
    }
    return inner;
  }

  // All ranks see the same counts, so all throw or none.
  static void requireOneOwner(const Teuchos::RCP<const map_type>& map, const std::vector<MapPart>& parts) {
    std::int64_t owned = 0;
    for (const MapPart& part : parts) owned += part.count;
    if (owned != static_cast<std::int64_t>(map->getGlobalNumElements()))
      throw std::runtime_error(
          "Trident::multiplyTiled(): a map gives some indices to several ranks; tiles need one "
          "owner for each row and column");
  }

  // True if the owners of B's rows know who needs them. Collective.
  bool makePlan(TiledState<Types>& C, NeededOfOwner& owner) {
    const Parameters& parameters = opening_.parameters();
    const int nodes = C.context->topology().nodes();
    C.plan = planAskedFor(parameters, nodes);
    C.plan.source = TileSource::owners;
    if (A_.isTiled() || B_.isTiled()) {
      C.plan.grid = A_.isTiled() ? A_.tiled->plan.grid : B_.tiled->plan.grid;
      if (parameters.plan.filter == TileFilter::automatic) C.plan.filter = TileFilter::needed;
      return false;
    }
    RankCensus mine = censusOf(*A_.rows, *B_.rows, *A_.rows);
    mine.stateOfC = static_cast<std::int64_t>(StateOfC::clean);
    const NodeGrid oneColumn{nodes, 1};
    NeededOfOwner known;
    if (mine.importersServe == 1) {
      known = NeededOfOwner(C.context->topology(), oneColumn, localSize(*B_.rowMap()),
                            consumersBy(A_.rows->getGraph()->getImporter()));
      countNeeded(known, nodes, C.context->node(), *B_.rows, mine);
    }
    const std::vector<RankCensus> census = gatherCensus(C.context->comm(), mine);
    ProductFrame<Types> frame(*C.context, FrameMaps<Types>::of(*A_.rows, *B_.rows), census);
    PlanCompletion<Types> completion(*C.context, parameters, frame, *A_.rows, *B_.rows);
    completion.keepInTiles();
    owner = completion.complete(C.plan, std::move(known));
    return true;
  }

  std::shared_ptr<const ProductSpaces> spacesFor(const TiledState<Types>& C,
                                                 const std::vector<MapPart>& innerParts) const {
    const auto space = [&](const std::vector<MapPart>& parts, BlockOrder order) {
      std::vector<std::int64_t> counts;
      for (const MapPart& part : parts) counts.push_back(part.count);
      return IndexSpace(C.context->topology(), C.plan.grid, counts, order);
    };
    return std::make_shared<const ProductSpaces>(
        ProductSpaces{space(C.rowParts, BlockOrder::bySlice),
                      space(innerParts, B_.isTiled() ? BlockOrder::bySlice : BlockOrder::byRank),
                      space(C.columnParts, BlockOrder::byRank)});
  }

  // Throws on every rank if a column is missing in the map that should own it.
  std::vector<std::int64_t> idsOf(const Teuchos::RCP<const map_type>& map, const std::vector<MapPart>& parts,
                                  const IndexSpace& space, const matrix_type& X) const {
    auto importer = X.getGraph()->getImporter();
    if (!sameOnThisRank(*map, *X.getDomainMap())) importer = Teuchos::null;
    int mine = importer.is_null() ? 0 : 1, all = 0;  // an importer serves if it does on all ranks
    checkMpi(watchedAllreduce(&mine, &all, 1, MPI_INT, MPI_MIN, real_.comm(), "the agreement of all ranks"),
             "MPI_Allreduce");
    const IdMap<Types> ids(map, parts, space);
    auto found = ids.idsOf(X.getColMap(), all == 1 ? importer : Teuchos::null);
    std::string failure;
    for (const std::int64_t id : found)
      if (id < 0)
        failure = "Trident::multiplyTiled(): an operand has a column that the map of its columns lacks";
    agreeOrThrow(real_.comm(), failure);
    return found;
  }

  LocalRows<Tiles> operandA(const TiledState<Types>& C, const std::vector<MapPart>& innerParts) const {
    const IndexSpace& inner = C.spaces->inner;
    if (!A_.isTiled()) return localRows<Types>(*A_.rows, idsOf(B_.rowMap(), innerParts, inner, *A_.rows));
    // A's columns are numbered by rank, the inner dimension perhaps by slice.
    const IndexSpace& columns = A_.tiled->spaces->columns;
    return tileRows(*A_.tiled, [&](std::int64_t id) {
      const Piece& from = columns.pieceAt(id);
      const std::int64_t local = from.firstLocal + id - from.start;
      for (const int p : inner.piecesOf(from.rank)) {
        const Piece& to = inner.pieces()[p];
        if (local >= to.firstLocal && local < to.firstLocal + to.count)
          return to.start + local - to.firstLocal;
      }
      return std::int64_t{-1};
    });
  }

  LocalRows<Tiles> operandB(const TiledState<Types>& C) const {
    if (!B_.isTiled())
      return localRows<Types>(*B_.rows, idsOf(C.domainMap, C.columnParts, C.spaces->columns, *B_.rows));
    return tileRows(*B_.tiled, [](std::int64_t id) { return id; });
  }

  // A tile as rows, its columns under the ids that `idOf` gives those of its own numbering.
  template <class IdOf>
  LocalRows<Tiles> tileRows(const TiledState<Types>& X, const IdOf& idOf) const {
    const int j = X.plan.grid.col(X.context->node());
    const std::int64_t first = X.spaces->columns.columnBlockStart(j);
    const std::int64_t end = X.spaces->columns.columnBlockStart(j + 1);
    LocalRows<Tiles> rows;
    rows.rowPtr = X.tile.rowPtr;
    rows.columns = X.tile.columns;
    rows.values = X.tile.values;
    rows.columnIds = allocate<typename Tiles::Ids>("Trident::columnIds", end - first);
    rows.ofTile = true;
    const auto ids = Kokkos::create_mirror_view(rows.columnIds);
    for (std::int64_t id = first; id < end; ++id) ids(id - first) = idOf(id);
    Kokkos::deep_copy(rows.columnIds, ids);
    return rows;
  }

  ChainOperand<Types> A_;
  ChainOperand<Types> B_;
  Context& real_;
  Opening<Types> opening_;
};

template <class Types>
std::shared_ptr<TiledState<Types>> multiplyChain(const ChainOperand<Types>& A, const ChainOperand<Types>& B,
                                                 const Teuchos::RCP<Teuchos::ParameterList>& params) {
  return ChainProduct<Types>(A, B, params).multiply();
}

/// The rows of a tiled matrix become C's, in whatever way C's state wants, which is the same on all ranks.
/// The tile is copied where C would be a view of it. Collective.
template <class Types>
void completeFromTiles(const TiledState<Types>& X, const ResultMaps<Types>& maps, StateOfC state,
                       typename Types::matrix_type& C) {
  using Tiles = typename Types::tile_types;
  CsrRows<Tiles> tile = X.tile;
  if (X.plan.grid.cols == 1) {
    const auto entries = static_cast<std::int64_t>(tile.columns.extent(0));
    tile.columns = allocate<typename Tiles::Ordinals>("Trident::C::columns", entries);
    tile.values = allocate<typename Tiles::Values>("Trident::C::values", entries);
    copyRun(X.tile.columns, 0, tile.columns, 0, entries);
    copyRun(X.tile.values, 0, tile.values, 0, entries);
  }
  const Context& context = *X.context;
  auto blocks = X.product->mapBack(tile);
  const IdMap<Types> columns(X.domainMap, X.columnParts, X.spaces->columns);
  ResultAssembly<Types> assembly(X.spaces->columns, columns, context.rank());
  std::string failure;
  const auto rows = assembleRows<Types>([&] { return assembly.assemble(blocks); }, context.rank(), failure);
  const Settlement settled = settleRows(context, rows, *X.domainMap, {}, failure);
  AskedColumns asking;
  completeC(rows, true, maps, {settled, state, context, asking}, C);
}

/// Collective.
template <class Types>
Teuchos::RCP<typename Types::matrix_type> toCrsMatrix(const TiledState<Types>& X) {
  const auto C = Teuchos::rcp(new typename Types::matrix_type(X.rowMap, 0));
  completeFromTiles(X, {X.domainMap, X.rangeMap, true, X.rowMap->getComm()}, StateOfC::clean, *C);
  return C;
}

}  // namespace detail
}  // namespace Trident

#endif
