#ifndef TRIDENT_PLAN_COMPLETION_HPP
#define TRIDENT_PLAN_COMPLETION_HPP

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "detail/Trident_Opening.hpp"
#include "detail/Trident_ProductFrame.hpp"
#include "exchange/Trident_MeasuredMachine.hpp"
#include "exchange/Trident_MeasuredWork.hpp"
#include "observe/Trident_Waiting.hpp"
#include "plan/Trident_Choice.hpp"

namespace Trident {
namespace detail {

template <class Tiles>
WireSizes wireOf() {
  constexpr std::int64_t ordinalBytes = sizeof(typename Tiles::ordinal_type);
  constexpr std::int64_t scalarBytes = sizeof(typename Tiles::scalar_type);
  return {ordinalBytes, ordinalBytes + scalarBytes};
}

/// Completes a plan with what the parameters leave open: by what the census tells, and only where that does
/// not decide by counting the rows that squarer grids need and measuring the links.
template <class Types>
class PlanCompletion {
 public:
  using matrix_type = typename Types::matrix_type;
  using import_type = typename Types::import_type;

  /// All must outlive this object.
  PlanCompletion(Context& context, const Parameters& parameters, ProductFrame<Types>& frame,
                 const matrix_type& A, const matrix_type& B)
      : context_(context),
        parameters_(parameters),
        frame_(frame),
        A_(A),
        B_(B),
        oneColumn_{context.topology().nodes(), 1} {}

  /// The product stays in tiles: C does not count.
  void keepInTiles() { keepsTiles_ = true; }

  /// Every rank needs its own rows of B, whatever columns A has.
  void needOwnRows() { needsOwnRows_ = true; }

  /// The plan stays on one column of nodes.
  void stayOnOneColumn() { choosesGrid_ = false; }

  /// Collective. Returns the rows of B that each row block of the plan's grid needs of this rank, under the
  /// filter "needed"; `known` are those of the grid N x 1, if A's importer tells.
  NeededOfOwner complete(Plan& plan, NeededOfOwner known) {
    const bool choose = choosesGrid_ && mustChoose(parameters_, context_.topology().nodes());
    if (!choose && !(plan.filter == TileFilter::needed && plan.source == TileSource::owners)) {
      chooseOverlap(plan);
      return {};
    }
    // Where A's importer does not tell who needs which rows of B, one is made that does.
    importer_ = A_.getGraph()->getImporter();
    const bool serves = frame_.importersServe();
    if (!serves) importer_ = Teuchos::rcp(new const import_type(B_.getRowMap(), A_.getColMap()));
    if (!serves && (choose || plan.grid == oneColumn_)) known = neededOn(oneColumn_);
    if (choose) chooseMember(plan, known, serves);
    chooseOverlap(plan);
    if (plan.filter != TileFilter::needed) return {};
    return plan.grid == oneColumn_ ? std::move(known) : neededOn(plan.grid);
  }

 private:
  // Of a rank, some milliseconds; of a node.
  static constexpr double fewestProducts = 1e6;
  static constexpr double fewestBytes = 1e6;

  NeededOfOwner neededOn(const NodeGrid& grid) const {
    return {context_.topology(), grid, localSize(*B_.getRowMap()), consumersBy(importer_)};
  }

  // By the bytes of the plan, or of all of B where they have not been counted.
  void chooseOverlap(Plan& plan) {
    if (plan.overlap != Overlap::automatic) return;
    const ProductSizes sizes = frame_.sizes();
    const WireSizes wire = wireOf<typename Types::tile_types>();
    const double whole = static_cast<double>(sizes.entriesB) * static_cast<double>(wire.entry) *
                         (sizes.nodes - 1) / plan.grid.cols;
    const double giBytes = plan.predicted.giBytes >= 0 ? plan.predicted.giBytes : whole;
    if (!mayOverlap(plan.grid, giBytes, sizes, wire)) plan.overlap = Overlap::off;
    if (plan.panels > 0) return;
    // Without overlap A is not cut by rounds, and the number of panels, which follows a measurement, could
    // show in the order of summation.
    plan.panels = plan.overlap == Overlap::off ? 1 : choosePanels(plan, giBytes, sizes);
  }

  // Links and cores are measured only for products on which that is a small part.
  int choosePanels(const Plan& plan, double giBytes, const ProductSizes& sizes) {
    using Tiles = typename Types::tile_types;
    const double products = static_cast<double>(sizes.entriesA) * static_cast<double>(sizes.entriesB) /
                            static_cast<double>(std::max<std::int64_t>(sizes.inner, 1));
    if (plan.grid.cols > 1 || sizes.nodes == 1 || !summedOnHost(plan)) return 1;
    if (products < fewestProducts * sizes.ranks || giBytes < fewestBytes * sizes.nodes) return 1;
    const WireSizes wire = wireOf<Tiles>();
    if (mostPanels(sizes) == 1) return 1;
    if (parameters_.machine) return panelsThatPay(giBytes, sizes, wire, *parameters_.machine);
    Machine machine = context_.template attached<MeasuredMachine>().machine();
    machine.multiplicationsPerSecond *= context_.template attached<MeasuredWork>().shareOfCore();
    return panelsThatPay(giBytes, sizes, wire, machine);
  }

  // The same on all ranks, which the number of a rank's threads need not be.
  static bool summedOnHost(const Plan& plan) {
    using Tiles = typename Types::tile_types;
    const std::string space = Tiles::execution_space::name();
    return onHost<Tiles> &&
           (plan.local == LocalKind::host || (plan.local == LocalKind::automatic && space == "Serial"));
  }

  void chooseMember(Plan& plan, const NeededOfOwner& known, bool serves) {
    ProductSizes sizes = frame_.sizes();
    if (keepsTiles_) sizes.entriesCAtMost = 0;
    if (!serves) sizes.needed = summed({countOn(oneColumn_, known)}).front();
    const WireSizes wire = wireOf<typename Types::tile_types>();
    const std::vector<NodeGrid> grids = gridsWorthCounting(sizes, wire);
    Machine machine = parameters_.machine.value_or(Machine::named("1gbit"));
    std::vector<NeededSum> needed;
    if (!grids.empty()) {
      if (!parameters_.machine) machine = context_.template attached<MeasuredMachine>().machine();
      for (const NodeGrid& grid : grids) needed.push_back(countOn(grid, neededOn(grid)));
      needed = summed(std::move(needed));
    }
    const CandidateCosts best = Trident::choose(sizes, wire, grids, needed, machine);
    plan.grid = best.grid;
    plan.filter = best.filter;
    plan.predicted.giBytes = best.giBytesSum;
    if (!grids.empty() || parameters_.machine) plan.predicted.seconds = seconds(best, machine);
  }

  // What this rank would send to other nodes on a grid. Nodes of its own row also need what its own ranks
  // have columns for, and get all column blocks but this node's.
  NeededSum countOn(const NodeGrid& grid, const NeededOfOwner& needed) {
    const auto rowPtr = B_.getLocalMatrixHost().graph.row_map;
    const auto length = [&](std::int64_t row) {
      return static_cast<std::int64_t>(rowPtr(row + 1) - rowPtr(row));
    };
    const int ownRow = grid.row(context_.node());
    NeededSum sum;
    for (int i = 0; i < grid.rows; ++i) {
      if (i == ownRow) continue;
      sum.rows += static_cast<std::int64_t>(needed.rowsFor(i).size()) * grid.cols;
      for (const std::int64_t row : needed.rowsFor(i)) sum.entries += length(row);
    }
    if (grid.cols == 1) return sum;
    const std::vector<char> own = neededOfOwnRow(needed.rowsFor(ownRow));
    const std::vector<char> atHome = columnsAtHome(grid);
    const auto columns = B_.getLocalMatrixHost().graph.entries;
    for (std::size_t row = 0; row < own.size(); ++row) {
      if (own[row] == 0) continue;
      sum.rows += grid.cols - 1;
      for (std::size_t e = rowPtr(row); e < rowPtr(row + 1); ++e)
        sum.entries += atHome[columns(e)] == 0 ? 1 : 0;
    }
    return sum;
  }

  // Marks this rank's rows of B that its own row block needs: `others` do, and this rank's own columns of A.
  std::vector<char> neededOfOwnRow(const std::vector<std::int64_t>& others) const {
    std::vector<char> needed(static_cast<std::size_t>(localSize(*B_.getRowMap())), 0);
    for (const std::int64_t row : others) needed[row] = 1;
    if (importer_.is_null() || needsOwnRows_) {
      std::fill(needed.begin(), needed.end(), char{1});
      return needed;
    }
    std::fill_n(needed.begin(), importer_->getNumSameIDs(), char{1});
    const auto permuted = importer_->getPermuteFromLIDs();
    for (Teuchos::Ordinal p = 0; p < permuted.size(); ++p) needed[permuted[p]] = 1;
    return needed;
  }

  // Marks the local columns of B that lie in the column block of this rank's node.
  std::vector<char> columnsAtHome(const NodeGrid& grid) {
    Plan plan;
    plan.grid = grid;
    frame_.arrange(plan);
    const int j = grid.col(context_.node());
    const IndexSpace& columns = frame_.spaces().columns;
    std::vector<char> home;
    for (const std::int64_t id : frame_.idsOfB())
      home.push_back(id >= columns.columnBlockStart(j) && id < columns.columnBlockStart(j + 1) ? 1 : 0);
    return home;
  }

  std::vector<NeededSum> summed(std::vector<NeededSum> sums) const {
    static_assert(sizeof(NeededSum) == 2 * sizeof(std::int64_t), "summed as pairs of numbers");
    checkMpi(watchedAllreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(2 * sums.size()), MPI_INT64_T,
                              MPI_SUM, context_.comm(), "the counts of needed rows"),
             "MPI_Allreduce");
    return sums;
  }

  Context& context_;
  const Parameters& parameters_;
  ProductFrame<Types>& frame_;
  const matrix_type& A_;
  const matrix_type& B_;
  NodeGrid oneColumn_;
  Teuchos::RCP<const import_type> importer_;
  bool keepsTiles_ = false;
  bool choosesGrid_ = true;
  bool needsOwnRows_ = false;
};

}  // namespace detail
}  // namespace Trident

#endif
