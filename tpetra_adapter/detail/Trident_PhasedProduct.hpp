#ifndef TRIDENT_PHASED_PRODUCT_HPP
#define TRIDENT_PHASED_PRODUCT_HPP

#include <malloc.h>

#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Trident_PhaseCallback.hpp"
#include "detail/Trident_ColumnRuns.hpp"
#include "detail/Trident_Finish.hpp"
#include "detail/Trident_ProductFrame.hpp"
#include "multiply/Trident_TiledProduct.hpp"
#include "observe/Trident_Waiting.hpp"
#include "topology/Trident_Memory.hpp"

namespace Trident {
namespace detail {

/// A product in column phases: C's columns are computed run by run, so that B's gathered tiles and C's rows
/// need be held for one run at a time (DESIGN, invariant 7).
///
/// Under a memory budget the product is done twice, first run by run to count, then in as few phases as the
/// budget allows: C's size cannot be known otherwise, and a guess would not hold a budget.
template <class Types>
class PhasedProduct {
 public:
  using matrix_type = typename Types::matrix_type;
  using Tiles = typename Types::tile_types;
  using Blocks = std::vector<BlockOfRows<Tiles>>;

  /// What is multiplied; all must outlive the product.
  struct Task {
    ProductFrame<Types>& frame;
    const NeededOfOwner& owner;
    LocalRows<Tiles> A;
    LocalRows<Tiles> B;
    const ResultMaps<Types>& maps;
    Teuchos::RCP<const typename Types::map_type> rowMap;  ///< of C
  };

  PhasedProduct(Context& context, const Parameters& parameters, const Plan& plan, const Task& task)
      : context_(context), parameters_(parameters), plan_(plan), task_(task), runs_(makeRuns()) {
    plan_.panels = 1;  // several batches of B at a time are not in the budget
    using Callback = Teuchos::RCP<PhaseCallback<matrix_type>>;
    if (parameters.hasPhaseCallback())
      callback_ = parameters.callbackList->get<Callback>("trident: phase callback");
  }

  static bool wanted(const Parameters& parameters) {
    return parameters.columnPhases > 1 || parameters.memoryBudget > 0 || parameters.memoryShare > 0 ||
           parameters.hasPhaseCallback();
  }

  /// C must have no graph. Collective. Throws std::runtime_error on every rank if the budget is too small for
  /// the finest phases, saying what is needed.
  void multiply(matrix_type& C, ProductReport& report) {
    const std::vector<int> ends = hasBudget() ? phasesWithinBudget() : endsOf(runs_.count());
    const std::int64_t before = ownResidentBytes();
    plan_.columnPhases = static_cast<int>(ends.size());

    Blocks kept;
    int first = 0;
    for (std::size_t phase = 0; phase < ends.size(); first = ends[phase++]) {
      Blocks blocks = multiplyRuns(first, ends[phase], report);
      if (callback_.is_null())
        kept.insert(kept.end(), blocks.begin(), blocks.end());
      else
        giveAway(blocks, static_cast<int>(phase), kept);
    }
    std::vector<std::int64_t> bytes;
    if (parameters_.wantsTotals()) bytes.push_back(report.ledger.bytesReceived(Link::Gi));
    const Settlement settled = finish(kept, C, bytes);
    if (!bytes.empty()) report.giBytesOfAllRanks = settled.extra.front();
    report.peakBytes = std::max(report.peakBytes, ownResidentBytes()) - before +
                       report.gatheredBytes / context_.topology().ranksOn(context_.node());
    report.plan = plan_;
  }

 private:
  // Runs in which a product with a budget is counted: the finest phases it can be done in.
  static constexpr int countedRuns = 32;

  // What one run, or several together, take on this rank.
  struct Size {
    std::int64_t entriesB = 0;
    std::int64_t gathered = 0;  // bytes, this rank's share
    std::int64_t entriesC = 0;
  };

  ColumnRuns<Tiles> makeRuns() const {
    const int runs = parameters_.columnPhases > 0 ? parameters_.columnPhases : hasBudget() ? countedRuns : 1;
    return {plan_.grid, task_.frame.spaces().columns, task_.frame.idsOfB(), runs};
  }

  bool hasBudget() const { return parameters_.memoryBudget > 0 || parameters_.memoryShare > 0; }

  Blocks multiplyRuns(int first, int end, ProductReport& report) {
    TiledProduct<Tiles> product(context_, plan_, task_.frame.sharedSpaces());
    const LocalRows<Tiles> B = end - first == runs_.count() ? task_.B : runs_.cut(task_.B, first, end);
    Blocks blocks = product.multiply(task_.A, B, task_.owner);
    const ProductReport& done = product.report();
    report.ledger.add(done.ledger);
    report.engine = done.engine;
    report.gather = done.gather;
    report.localProduct = done.localProduct;
    report.batches += done.batches;
    report.multiplications += done.multiplications;
    report.secondsConvert += done.secondsConvert;
    report.secondsMultiply += done.secondsMeet + done.secondsMultiply;
    report.secondsMapBack += done.secondsMapBack;
    report.gatheredBytes = std::max(report.gatheredBytes, done.gatheredBytes);
    report.peakBytes = std::max(report.peakBytes, done.peakBytes);
    return blocks;
  }

  // The last run of each phase. The same on all ranks.
  std::vector<int> phasesWithinBudget() {
    std::vector<Size> sizes(static_cast<std::size_t>(runs_.count()));
    for (int run = 0; run < runs_.count(); ++run) {
      ProductReport counted;
      const Blocks blocks = multiplyRuns(run, run + 1, counted);
      sizes[run].entriesB = static_cast<std::int64_t>(runs_.cut(task_.B, run, run + 1).columns.extent(0));
      sizes[run].gathered = counted.gatheredBytes / context_.topology().ranksOn(context_.node());
      for (const auto& block : blocks)
        sizes[run].entriesC += static_cast<std::int64_t>(block.columns.extent(0));
    }
    const std::int64_t budget = agreedBudget();
    // peaks[p - 1]: of p phases, on the rank where it is highest.
    std::vector<std::int64_t> peaks;
    for (int phases = 1; phases <= runs_.count(); ++phases) peaks.push_back(peakOf(sizes, endsOf(phases)));
    checkMpi(watchedAllreduce(MPI_IN_PLACE, peaks.data(), static_cast<int>(peaks.size()), MPI_INT64_T,
                              MPI_MAX, context_.comm(), "the peaks of memory"),
             "MPI_Allreduce");
    const auto least = std::min_element(peaks.begin(), peaks.end());
    const auto best =
        std::find_if(peaks.begin(), peaks.end(), [=](std::int64_t peak) { return peak <= budget; });
    if (best == peaks.end())
      throw std::runtime_error(
          "Trident: \"trident: memory budget\" is " + std::to_string(budget) +
          " bytes a rank; this product needs at least " + std::to_string(*least) + ", in " +
          std::to_string(least - peaks.begin() + 1) +
          " column phases (\"trident: column phases\" for finer ones; a \"trident: phase "
          "callback\" need not keep all of C)");
    malloc_trim(0);  // what the count has left behind is not to add to the peak
    plan_.predicted.memoryBytes = static_cast<double>(*best);
    return endsOf(static_cast<int>(best - peaks.begin()) + 1);
  }

  // The last run of each of so many phases.
  std::vector<int> endsOf(int phases) const {
    std::vector<int> ends;
    for (int phase = 1; phase <= phases; ++phase) ends.push_back(phase * runs_.count() / phases);
    return ends;
  }

  std::int64_t agreedBudget() const {
    std::int64_t budget = parameters_.memoryBudget;
    if (parameters_.memoryShare > 0)
      budget = static_cast<std::int64_t>(parameters_.memoryShare * static_cast<double>(availableBytes())) /
               context_.ranksOnMachine();
    checkMpi(watchedAllreduce(MPI_IN_PLACE, &budget, 1, MPI_INT64_T, MPI_MIN, context_.comm(),
                              "the memory budget"),
             "MPI_Allreduce");
    return budget;
  }

  // Bytes beside A and B. All the time the window into which B is gathered; in each phase A's columns once
  // more (on a grid of several columns A cut into tiles, and all that comes of its row block), its part of B,
  // its part of C (in its tile and on its way home) and what is kept of the phases before; at the end C
  // twice, in its blocks and assembled. Where rounds are multiplied while others travel, A is cut into tiles
  // on any grid, and the sums of C's pieces lie beside its tile.
  std::int64_t peakOf(const std::vector<Size>& sizes, const std::vector<int>& ends) const {
    constexpr auto ordinal = static_cast<std::int64_t>(sizeof(typename Tiles::ordinal_type));
    constexpr auto entry = ordinal + static_cast<std::int64_t>(sizeof(typename Tiles::scalar_type));
    constexpr auto pointer = static_cast<std::int64_t>(sizeof(std::size_t));
    const std::int64_t rows = task_.A.rows();
    const int cols = plan_.grid.cols;
    const auto entriesA = static_cast<std::int64_t>(task_.A.columns.extent(0));
    const bool overlaps = plan_.overlap != Overlap::off && plan_.grid.rounds() > 1;
    const std::int64_t copiesOfA =
        cols == 1 ? entriesA * (overlaps ? entry : ordinal) : entriesA * entry * (1 + cols);
    const std::int64_t tilesOfA = cols == 1 && overlaps ? plan_.grid.rounds() : 1;
    const std::int64_t fixed = copiesOfA + rows * (ordinal + pointer) * tilesOfA;
    std::int64_t peak = 0, before = 0, all = 0, window = 0;
    int first = 0;
    for (const int end : ends) {
      Size phase;
      for (int run = first; run < end; ++run) {
        phase.entriesB += sizes[run].entriesB;
        phase.gathered += sizes[run].gathered;
        phase.entriesC += sizes[run].entriesC;
      }
      first = end;
      const std::int64_t partOfB =
          ends.size() == 1 ? 0 : phase.entriesB * (entry + ordinal) + task_.B.rows() * (pointer + ordinal);
      const std::int64_t partOfC = phase.entriesC * entry + rows * pointer;
      window = std::max(window, phase.gathered);
      const std::int64_t mapBack = cols == 1 ? 0 : partOfC;
      const std::int64_t sums = overlaps ? partOfC : 0;
      peak = std::max(peak, before + partOfB + partOfC + std::max(fixed + sums, mapBack));
      if (callback_.is_null()) before += partOfC;
      all += phase.entriesC * entry;
    }
    return window + (callback_.is_null() ? std::max(peak, before + all + rows * pointer) : peak);
  }

  // The phase as a matrix to the caller, and what he returns into `kept`.
  void giveAway(Blocks& blocks, int phase, Blocks& kept) {
    const auto C = Teuchos::rcp(new matrix_type(task_.rowMap, 0));
    finish(blocks, *C);
    blocks.clear();
    const Teuchos::RCP<const matrix_type> returned = answerTo(C, phase);
    if (returned.is_null()) return;
    const auto ids = task_.frame.columns().idsOf(returned->getColMap(), returned->getGraph()->getImporter());
    onAllRanksOrNone(context_.comm(), "Trident: what the phase callback returned cannot be kept: ", [&] {
      kept.push_back(blockOf(*returned, ids));
    });
  }

  // What the caller returns. If he throws on one rank, all throw: that rank what he has thrown.
  Teuchos::RCP<const matrix_type> answerTo(const Teuchos::RCP<matrix_type>& C, int phase) const {
    Teuchos::RCP<const matrix_type> returned;
    std::exception_ptr thrown;
    std::string failure;
    try {
      returned = (*callback_)(C, phase, plan_.columnPhases);
    } catch (const std::exception& error) {
      thrown = std::current_exception();
      failure = "Trident: the phase callback failed on rank " + std::to_string(context_.rank()) + ": " +
                error.what();
    }
    try {
      agreeOrThrow(context_.comm(), failure);
    } catch (const std::exception&) {
      if (thrown) std::rethrow_exception(thrown);
      throw;
    }
    return returned;
  }

  // Local. Throws std::runtime_error for a matrix of other rows or columns than C's.
  BlockOfRows<Tiles> blockOf(const matrix_type& X, const std::vector<std::int64_t>& ids) const {
    if (!sameOnThisRank(*X.getRowMap(), *task_.rowMap)) throw std::runtime_error("its row map is not C's");
    if (std::any_of(ids.begin(), ids.end(), [](std::int64_t id) { return id < 0; }))
      throw std::runtime_error("it has columns that C's domain map lacks");
    const std::int64_t width = task_.frame.spaces().columns.size();
    if (width > std::numeric_limits<typename Tiles::ordinal_type>::max())
      throw std::runtime_error("C has " + std::to_string(width) +
                               " columns, more than a local ordinal counts");
    const auto local = X.getLocalMatrixHost();
    const auto entries = static_cast<std::int64_t>(local.graph.entries.extent(0));
    BlockOfRows<Tiles> block = emptyBlock();
    block.width = width;
    std::copy_n(local.graph.row_map.data(), local.graph.row_map.extent(0), block.rowPtr.data());
    block.columns = allocate<typename Tiles::Ordinals>("Trident::phase::columns", entries);
    block.values = allocate<typename Tiles::Values>("Trident::phase::values", entries);
    for (std::int64_t e = 0; e < entries; ++e) {
      block.columns(e) = static_cast<typename Tiles::ordinal_type>(ids[local.graph.entries(e)]);
      block.values(e) = local.values(e);
    }
    return block;
  }

  // Assembles blocks of any phases into a matrix. `extra` is summed over all ranks. Collective.
  Settlement finish(const Blocks& blocks, matrix_type& C, const std::vector<std::int64_t>& extra = {}) {
    ResultAssembly<Types> assembly(task_.frame.spaces().columns, task_.frame.columns(), context_.rank());
    std::string failure;
    const auto rows = assembleRows<Types>(
        [&] { return assembly.assembleAny(blocks.empty() ? Blocks{emptyBlock()} : blocks); }, context_.rank(),
        failure);
    const Settlement settled = settleRows(context_, rows, *task_.maps.domain, extra, failure);
    fillNewC(rows, task_.maps, settled, askingOf(rows, settled, context_), C);
    return settled;
  }

  BlockOfRows<Tiles> emptyBlock() const {
    return {0,
            0,
            typename Tiles::Offsets("Trident::phase::rowPtr", static_cast<std::size_t>(task_.A.rows()) + 1),
            {},
            {}};
  }

  Context& context_;
  const Parameters& parameters_;
  Plan plan_;
  Task task_;
  ColumnRuns<Tiles> runs_;
  Teuchos::RCP<PhaseCallback<matrix_type>> callback_;
};

}  // namespace detail
}  // namespace Trident

#endif
