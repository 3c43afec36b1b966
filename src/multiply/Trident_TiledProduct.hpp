#ifndef TRIDENT_TILED_PRODUCT_HPP
#define TRIDENT_TILED_PRODUCT_HPP

#include <unistd.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "exchange/Trident_ScheduledExchange.hpp"
#include "gather/Trident_AllgathervGather.hpp"
#include "gather/Trident_SharedWindowGather.hpp"
#include "local/Trident_HostProduct.hpp"
#include "local/Trident_KokkosKernelsProduct.hpp"
#include "local/detail/Trident_FailingProduct.hpp"
#include "multiply/Trident_Convert.hpp"
#include "multiply/Trident_MapBack.hpp"
#include "multiply/Trident_Multiply.hpp"
#include "multiply/Trident_ProductReport.hpp"
#include "plan/Trident_Plan.hpp"

namespace Trident {

/// The three dimensions of a product, each with the owners of its indices.
struct ProductSpaces {
  IndexSpace rows;     ///< of A and C, BlockOrder::bySlice
  IndexSpace inner;    ///< A's columns, B's rows, BlockOrder::bySlice
  IndexSpace columns;  ///< of B and C, BlockOrder::byRank
};

/// One product of matrices in 1D rows: converts, runs the rounds, maps back.
///
/// Collective over the context's communicator, which carries nothing else meanwhile.
template <class Types>
class TiledProduct {
 public:
  /// All references must outlive the product; `report` is filled in as it goes. `needed` are the rows of B
  /// that the node needs if the plan's filter is "needed" (grid N x 1), null if it is "whole".
  TiledProduct(Context& context, const Plan& plan, const ProductSpaces& spaces, ProductReport& report,
               const NeededRows* needed = nullptr)
      : context_(context),
        plan_(plan),
        spaces_(spaces),
        report_(report),
        needed_(needed),
        channel_(context, {plan.maxMessageBytes, plan.delaySeed}, report.ledger) {
    requireOrdinals();
  }

  /// This rank's rows of C in p_c column blocks, in the ids of spaces.columns. Throws std::runtime_error, the
  /// same on every rank, if any rank's local product failed.
  std::vector<BlockOfRows<Types>> multiply(const LocalRows<Types>& A, const LocalRows<Types>& B) {
    OwnTiles<Types> tiles = convert(A, B);
    const CsrRows<Types> C = multiplyTiles(tiles);
    return mapBack(C);
  }

  /// Entries of this rank's rows of A by base block and of B by column block; known after multiply().
  const std::vector<std::int64_t>& entriesOfA() const { return entriesOfA_; }
  const std::vector<std::int64_t>& entriesOfB() const { return entriesOfB_; }

  /// Bytes of B that this rank will send to each node, counted from the requests; empty under "whole".
  const std::vector<std::int64_t>& neededBytes() const { return neededBytes_; }

 private:
  using Ordinal = typename Types::ordinal_type;
  static constexpr bool onHost =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Types::device_type::memory_space>::accessible;

  // Columns and rows inside a block are counted in local ordinals.
  void requireOrdinals() const {
    const auto most = static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()) - 1;
    for (int j = 0; j < plan_.grid.cols; ++j)
      requireAtMost(spaces_.columns.columnBlockStart(j + 1) - spaces_.columns.columnBlockStart(j), most,
                    "columns in a column block");
    for (int block = 0; block < plan_.grid.rounds(); ++block)
      requireAtMost(spaces_.inner.blockStart(block + 1) - spaces_.inner.blockStart(block), most,
                    "rows of B in a base block");
  }

  static void requireAtMost(std::int64_t found, std::int64_t most, const char* what) {
    if (found > most)
      throw std::runtime_error("Trident: " + std::to_string(found) + ' ' + what + ", at most " +
                               std::to_string(most) +
                               " fit a local ordinal; use more nodes or another grid (\"trident: grid\")");
  }

  OwnTiles<Types> convert(const LocalRows<Types>& A, const LocalRows<Types>& B) {
    const Region region("Trident::convert");
    const double begin = MPI_Wtime();
    OwnTiles<Types> tiles;
    const ColumnCut cutA = cutByBaseBlock(plan_.grid, spaces_.inner);
    const ColumnCut cutB = cutByColumnBlock(plan_.grid, spaces_.columns);
    Converter<Types> convertA(channel_, plan_.grid, spaces_.rows, cutA, Phase::convertA);
    Converter<Types> convertB(channel_, plan_.grid, spaces_.inner, cutB, Phase::convertB);
    onAllRanksOrNone("counting tiles", [&] {
      convertA.count(A);
      convertB.count(B);
      if (needed_ != nullptr) meetNeededRows(convertA);
    });
    convertA.exchangeEntries();
    convertB.exchangeEntries();
    onAllRanksOrNone("packing tiles", [&] {
      convertA.pack(A);
      convertB.pack(B);
    });
    tiles.A = convertA.exchangeTiles();
    tiles.firstBlockOfA = plan_.grid.col(context_.node()) * (plan_.grid.rounds() / plan_.grid.cols);
    tiles.B = convertB.exchangeTiles().front();
    entriesOfA_ = convertA.entriesBySegment();
    entriesOfB_ = convertB.entriesBySegment();
    report_.secondsConvert = MPI_Wtime() - begin;
    return tiles;
  }

  std::vector<BlockOfRows<Types>> mapBack(const CsrRows<Types>& C) {
    const Region region("Trident::mapBack");
    const double begin = MPI_Wtime();
    MapBack<Types> mapping(channel_, plan_.grid, spaces_.rows);
    if (plan_.grid.cols > 1) {
      onAllRanksOrNone("counting rows of C", [&] { mapping.count(C); });
      mapping.exchangeEntries();
      onAllRanksOrNone("allocating rows of C", [&] { mapping.layOut(C, spaces_.columns); });
    } else {
      mapping.layOut(C, spaces_.columns);  // C is at home
    }
    auto rowsOfC = mapping.exchangeRows(C);
    report_.secondsMapBack = MPI_Wtime() - begin;
    return rowsOfC;
  }

  // Columns of A count the needed rows of a base block, which are all that will be there of it.
  void meetNeededRows(Converter<Types>& convertA) const {
    const int own = plan_.grid.baseBlock(context_.node());
    convertA.renumberColumns([&](int block, std::int64_t column) {
      return block == own ? column : needed_->position(spaces_.inner.blockStart(block) + column);
    });
  }

  CsrRows<Types> multiplyTiles(OwnTiles<Types>& tiles) {
    const Region region("Trident::multiply");
    const double begin = MPI_Wtime();
    const FetchSchedule schedule(context_.topology(), plan_.grid, spaces_.rows, spaces_.inner);
    const int rank = context_.rank();
    FetchLists fetches{schedule.receivesOfA(rank), schedule.receivesOfB(rank), schedule.sendsOfA(rank),
                       schedule.sendsOfB(rank)};
    std::unique_ptr<RowRequests<Types>> requests;
    if (needed_ != nullptr) requests = std::make_unique<RowRequests<Types>>(channel_, *needed_, fetches);
    tiles.requests = requests.get();
    measure(tiles, requests.get(), fetches);
    announceFetches(channel_, fetches);
    GatherLayout layout(context_, plan_.grid, schedule, fetches.receivesB, tiles.B.firstEntry, needed_);
    const auto gather = makeGather(layout, tiles.B);
    ScheduledExchange<Types> exchange(channel_, plan_.grid, tiles, fetches, *gather, plan_.roundsAhead);
    const auto product = makeLocalProduct();
    RoundSum<Types> C_ijk(*product, shapeOfSlice(tiles), [&exchange] { exchange.progress(); });

    multiplyRounds(plan_.grid.rounds(), exchange, *gather, C_ijk);

    CsrRows<Types> C = sumOrThrow(C_ijk);
    report_.batches = gather->batches();
    report_.engine = "scheduled";
    report_.localProduct = product->name();
    report_.multiplications = C_ijk.multiplications();
    report_.secondsMultiply = MPI_Wtime() - begin;
    return C;
  }

  // Fills in the entries of what this rank sends.
  void measure(const OwnTiles<Types>& tiles, RowRequests<Types>* requests, FetchLists& fetches) {
    for (Fetch& fetch : fetches.sendsA) {
      const auto& first = tiles.A[fetch.baseBlock - tiles.firstBlockOfA].firstEntry;
      fetch.entries = first[fetch.lastPiece] - first[fetch.firstPiece];
      fetch.filledRows = fetch.rows;
    }
    for (Fetch& fetch : fetches.sendsB) {
      fetch.entries = tiles.B.firstEntry[fetch.lastPiece] - tiles.B.firstEntry[fetch.firstPiece];
      fetch.filledRows = fetch.rows;
    }
    if (requests == nullptr) return;
    requests->measure(tiles.B, fetches.sendsB);
    neededBytes_.assign(static_cast<std::size_t>(context_.topology().nodes()), 0);
    for (const Fetch& fetch : fetches.sendsB)
      neededBytes_[context_.topology().nodeOf(fetch.to)] +=
          fetch.rows * static_cast<std::int64_t>(sizeof(Ordinal)) +
          fetch.entries * static_cast<std::int64_t>(sizeof(Ordinal) + sizeof(typename Types::scalar_type));
  }

  SliceShape shapeOfSlice(const OwnTiles<Types>& tiles) const {
    const int j = plan_.grid.col(context_.node());
    return {tiles.A.front().rows(),
            spaces_.columns.columnBlockStart(j + 1) - spaces_.columns.columnBlockStart(j),
            plan_.skipZerosOfA};
  }

  // One shared window where the node's ranks share host memory and /dev/shm has room for a batch; the
  // Allgatherv otherwise. A node of one rank has nothing to share. The batches are the same either way and
  // depend on nothing that changes from run to run, for they decide the order of summation.
  std::unique_ptr<TileGather<Types>> makeGather(GatherLayout& layout, const TileSlice<Types>& own) {
    const auto sizes = AllgathervGather<Types>::sizes();
    const std::int64_t most = plan_.windowBytes > 0 ? plan_.windowBytes : batchBytes();
    layout.cutIntoBatches(sizes, {most, plan_.roundsPerBatch});
    report_.gather = "allgatherv";
    if constexpr (onHost) {
      const bool alone = context_.topology().ranksOn(context_.node()) == 1;
      if (plan_.gather == GatherKind::sharedWindow || (plan_.gather == GatherKind::automatic && !alone)) {
        auto& window = context_.template attached<SharedWindow>();
        const std::int64_t bytes = SharedWindowGather<Types>::windowBytes(layout);
        const bool small = plan_.windowBytes == 0 || bytes <= plan_.windowBytes;
        if (small && window.reserve(bytes)) {
          report_.gather = "shared window";
          return std::make_unique<SharedWindowGather<Types>>(window, layout, context_.slice(), own);
        }
        report_.gather += " (a window of " + std::to_string(bytes) +
                          " bytes is more than /dev/shm or \"trident: window bytes\" can give this node)";
      }
    }
    return std::make_unique<AllgathervGather<Types>>(channel_, layout, own);
  }

  // A quarter of the machine's memory, shared by its ranks as B is by the ranks of a node.
  std::int64_t batchBytes() const {
    return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / 4 /
           context_.ranksOnMachine();
  }

  std::unique_ptr<LocalProduct<Types>> makeLocalProduct() const {
    if (plan_.injectFailureOnRank == context_.rank())
      return std::make_unique<detail::FailingProduct<Types>>();
    if constexpr (onHost) {
      const bool host =
          plan_.local == LocalKind::host ||
          (plan_.local == LocalKind::automatic && typename Types::execution_space().concurrency() == 1);
      if (host) return std::make_unique<HostProduct<Types>>();
    }
    return std::make_unique<KokkosKernelsProduct<Types>>();
  }

  // A rank whose product failed has kept the rounds going; here all ranks learn of it, before C is touched.
  CsrRows<Types> sumOrThrow(RoundSum<Types>& C_ijk) {
    CsrRows<Types> C;
    onAllRanksOrNone("the local product", [&] {
      if (!C_ijk.failure().empty()) throw std::runtime_error(C_ijk.failure());
      C = C_ijk.sum();
    });
    return C;
  }

  // What this rank does alone: if it fails on one rank, it throws on all.
  template <class Work>
  void onAllRanksOrNone(const char* what, const Work& work) const {
    Trident::onAllRanksOrNone(
        context_.comm(),
        "Trident: " + std::string(what) + " failed on rank " + std::to_string(context_.rank()) + ": ", work);
  }

  Context& context_;
  const Plan& plan_;
  const ProductSpaces& spaces_;
  ProductReport& report_;
  const NeededRows* needed_;
  Channel channel_;
  std::vector<std::int64_t> entriesOfA_;
  std::vector<std::int64_t> entriesOfB_;
  std::vector<std::int64_t> neededBytes_;
};

}  // namespace Trident

#endif
