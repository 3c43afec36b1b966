#ifndef TRIDENT_SPGEMM_PRODUCT_HPP
#define TRIDENT_SPGEMM_PRODUCT_HPP

#include "MatrixSource.hpp"
#include "Options.hpp"
#include "Results.hpp"
#include "Types.hpp"
#include "multiply/Trident_ProductReport.hpp"

namespace Spgemm {

/// What the timed runs leave: the last results, Trident's report of this rank, and medians over the runs of
/// the slowest rank's times.
struct Runs {
  Teuchos::RCP<Matrix> C;
  Teuchos::RCP<Matrix> reference;  ///< Tpetra's C; null when not compared
  Trident::ProductReport report;
  Seconds seconds;
  double tpetraSeconds = 0;
  double valuesOnlySeconds = 0;
  Trident::Ledger valuesOnlyLedger;  ///< of this rank
};

/// Collective. Runs Trident, and Tpetra in turn with it if they are to be compared. Throws AgreedError when
/// Trident refuses.
Runs runProducts(MPI_Comm comm, const Problem& problem, const Options& options);

}  // namespace Spgemm

#endif
