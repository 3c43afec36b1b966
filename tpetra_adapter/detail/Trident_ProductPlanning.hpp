#ifndef TRIDENT_PRODUCT_PLANNING_HPP
#define TRIDENT_PRODUCT_PLANNING_HPP

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detail/Trident_Computation.hpp"
#include "detail/Trident_Opening.hpp"
#include "detail/Trident_PhasedProduct.hpp"
#include "detail/Trident_PlanCompletion.hpp"
#include "detail/Trident_TripleProduct.hpp"

namespace Trident {
namespace detail {

/// Whether a transposed leftmost factor may be multiplied by partial rows: on one column of nodes.
template <class Types>
bool mayStayTransposed(const Opening<Types>& opening, bool fillComplete) {
  const Parameters& parameters = opening.parameters();
  return onHost<typename Types::tile_types> && opening.gridAskedFor().cols == 1 &&
         !(fillComplete && PhasedProduct<Types>::wanted(parameters));
}

/// From the census of a product to its plan, its index spaces and what computes it.
template <class Types>
class ProductPlanning {
 public:
  using Tiles = typename Types::tile_types;
  using matrix_type = typename Types::matrix_type;
  using import_type = typename Types::import_type;

  /// `opening` has taken the factors; all must outlive the planning.
  ProductPlanning(Context& context, Opening<Types>& opening, const Factors<Types>& factors)
      : context_(context),
        opening_(opening),
        parameters_(opening.parameters()),
        factors_(factors),
        census_(opening.census()),
        needed_(opening.needed()),
        plan_(planAskedFor(opening.parameters(), context.topology().nodes())),
        frame_(context, mapsOf(factors), opening.census()) {
    if (factors.jacobi.wanted()) plan_.skipZerosOfA = false;  // its rows leave out what does not count
  }

  /// Why Trident does not do this product; empty if it does. The same on all ranks.
  std::string notServed() const {
    if (const std::string reason = frame_.notServed(); !reason.empty()) return reason;
    if (factors_.R != nullptr && replicated(*factors_.A->getRowMap(), &RankCensus::rows))
      return "op(A)'s row map gives some rows to several ranks";
    if (factors_.R == nullptr && factors_.partialRows &&
        replicated(*factors_.A->getRowMap(), &RankCensus::outer))
      return "A's row map gives some rows to several ranks";
    if (factors_.R != nullptr && factors_.partialRows &&
        replicated(*factors_.R->getDomainMap(), &RankCensus::outer))
      return "R's domain map gives some columns to several ranks";
    if (factors_.R != nullptr && plan_.grid.cols > 1 &&
        replicated(*factors_.R->getRowMap(), &RankCensus::outer))
      return "op(R)'s row map gives some rows to several ranks";
    return {};
  }

  /// Whether it is not for Trident; then the report says why. The same on all ranks.
  bool handsBack(ProductReport& report) const {
    const std::string reason = notServed();
    if (reason.empty()) return false;
    report = reportOf(context_, plan_);
    report.handedBack = true;
    report.handBackReason = reason;
    return true;
  }

  /// Decides what the parameters leave open, for a product of two by rows. Collective.
  void planRows() {
    PlanCompletion<Types> completion(context_, parameters_, frame_, *factors_.A, *factors_.B);
    if (factors_.jacobi.wanted()) completion.needOwnRows();
    needed_ = completion.complete(plan_, std::move(needed_));
    frame_.arrange(plan_);
  }

  /// What computes a product of two. Collective but for planRows(), which must be done.
  std::unique_ptr<RowProduct<Types>> makeRows() {
    return std::make_unique<RowProduct<Types>>(
        context_, plan_, frame_, std::move(needed_),
        JacobiRows{factors_.jacobi.wanted(), parameters_.plan.skipZerosOfA});
  }
  std::unique_ptr<PartialRowProduct<Types>> makePartialRows() {
    toOneColumn();
    plan_.partialRows = true;
    frame_.arrange(plan_);
    return std::make_unique<PartialRowProduct<Types>>(context_, plan_, frame_, neededByLeft(*factors_.A));
  }

  /// What computes a product of three, on one column of nodes. Collective.
  std::unique_ptr<TripleProduct<Types>> makeTriple() {
    toOneColumn();
    PlanCompletion<Types> completion(context_, parameters_, frame_, *factors_.A, *factors_.B);
    completion.stayOnOneColumn();
    needed_ = completion.complete(plan_, std::move(needed_));
    frame_.arrange(plan_);
    auto inner = makeRows();

    std::vector<RankCensus> census = censusOfOuter();
    const matrix_type& R = *factors_.R;
    FrameMaps<Types> maps{factors_.partialRows ? R.getDomainMap() : factors_.A->getRowMap(),
                          factors_.B->getDomainMap(),
                          R.getColMap(),
                          R.getGraph()->getImporter(),
                          Teuchos::null,
                          Teuchos::null};
    ProductFrame<Types> outer(context_, maps, census);
    typename TripleProduct<Types>::Left left;
    left.plan = plan_;
    left.plan.partialRows = factors_.partialRows;
    left.plan.panels = parameters_.plan.panels;  // chosen for A*B, which is another size
    outer.arrange(left.plan);
    left.spaces = factors_.partialRows ? PartialRowProduct<Types>::spacesOf(outer) : outer.sharedSpaces();
    left.ids = outer.idsOfA();
    left.needed = neededByLeft(R);
    return std::make_unique<TripleProduct<Types>>(context_, std::move(inner), std::move(left));
  }

  ProductFrame<Types>& frame() { return frame_; }
  const Plan& plan() const { return plan_; }

 private:
  static FrameMaps<Types> mapsOf(const Factors<Types>& factors) {
    FrameMaps<Types> maps = FrameMaps<Types>::of(*factors.A, *factors.B);
    if (factors.R == nullptr && factors.partialRows) maps.inner = factors.A->getDomainMap();
    return maps;
  }

  bool replicated(const typename Types::map_type& map, MapPart RankCensus::*dimension) const {
    std::vector<MapPart> parts;
    for (const RankCensus& rank : census_) parts.push_back(rank.*dimension);
    return ProductFrame<Types>::replicated(map, parts);
  }

  // Unless a filter is asked for, only rows that are needed travel.
  void toOneColumn() {
    const int nodes = context_.topology().nodes();
    if (mustChoose(parameters_, nodes)) plan_.filter = TileFilter::needed;
    plan_.grid = NodeGrid{nodes, 1};
  }

  // R meets the rows of A*B; of a transposed R the columns are C's rows.
  std::vector<RankCensus> censusOfOuter() const {
    std::vector<RankCensus> census = census_;
    for (RankCensus& rank : census) {
      rank.inner = factors_.partialRows ? rank.outer : rank.rows;
      rank.rows = rank.outer;
      rank.importersServe = rank.outerServes;
    }
    return census;
  }

  // This rank's rows that other nodes need, or have parts of, by the columns of the leftmost factor.
  NeededOfOwner neededByLeft(const matrix_type& left) const {
    if (plan_.filter != TileFilter::needed && !factors_.partialRows) return {};
    const auto& owning = factors_.partialRows ? left.getDomainMap() : factors_.A->getRowMap();
    Teuchos::RCP<const import_type> importer = left.getGraph()->getImporter();
    if (!opening_.outerServes()) importer = Teuchos::rcp(new const import_type(owning, left.getColMap()));
    return {context_.topology(), NodeGrid{context_.topology().nodes(), 1}, localSize(*owning),
            consumersBy(importer)};
  }

  Context& context_;
  const Opening<Types>& opening_;
  const Parameters& parameters_;
  const Factors<Types>& factors_;
  const std::vector<RankCensus>& census_;
  NeededOfOwner needed_;
  Plan plan_;
  ProductFrame<Types> frame_;
};

}  // namespace detail
}  // namespace Trident

#endif
