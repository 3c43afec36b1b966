#ifndef TRIDENT_PARAMETERS_HPP
#define TRIDENT_PARAMETERS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <optional>
#include <string>

#include "multiply/Trident_ProductReport.hpp"
#include "plan/Trident_CostModel.hpp"
#include "plan/Trident_Plan.hpp"

namespace Trident {
namespace detail {

/// What a product reads from its parameter list.
struct Parameters {
  std::string ranksPerNode;                           ///< "" for the real nodes
  std::string grid;                                   ///< "" for the plan's choice
  bool tpetra = false;                                ///< the plan asked for is Tpetra's own path
  std::optional<Machine> machine;                     ///< to plan for; measured if not given
  int columnPhases = 0;                               ///< asked for; 0: one, or as the budget wants
  std::int64_t memoryBudget = 0;                      ///< bytes a rank beside A and B; 0: none
  double memoryShare = 0;                             ///< the same as a share of what is free, if not 0
  std::int64_t patternBytes = 0;                      ///< a rank, for patterns of C's that may be gone
  double patternShare = 0;                            ///< the same as a share of the machine's memory
  Teuchos::RCP<Teuchos::ParameterList> callbackList;  ///< that holds "trident: phase callback", or null
  bool hasPhaseCallback() const { return !callbackList.is_null(); }

  Plan plan;                      ///< everything but the grid
  std::optional<bool> skipZeros;  ///< of A, if the list says
  bool computeGlobalConstants = true;
  bool reuse = true;                   ///< keep the product with C's graph
  Teuchos::RCP<ProductReport> report;  ///< may be null
  bool log = false;                    ///< TRIDENT_REPORT asks for a log

  /// Whether all ranks' bytes are to be summed and compared with the prediction.
  bool wantsTotals() const { return log || !report.is_null(); }
};

/// Reads the list, its sublist "matrixmatrix: kernel params" and TRIDENT_RANKS_PER_NODE (the list wins), and
/// TRIDENT_REPORT. The list is not changed. Null is an empty list. Local. Throws std::invalid_argument for a
/// name of ours that is unknown (listing the known) or a value that is not allowed.
Parameters readParameters(const Teuchos::RCP<Teuchos::ParameterList>& list);

}  // namespace detail
}  // namespace Trident

#endif
