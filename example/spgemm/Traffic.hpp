#ifndef TRIDENT_SPGEMM_TRAFFIC_HPP
#define TRIDENT_SPGEMM_TRAFFIC_HPP

#include <mpi.h>

#include "MatrixSource.hpp"
#include "Results.hpp"

namespace Spgemm {

/// Collective. Sums the ranks' ledgers by node.
Traffic trafficOf(MPI_Comm comm, const Trident::ProductReport& report);

/// Collective. All that a ledger says was received over Gi, by node.
PerNode giBytesOf(MPI_Comm comm, const Trident::ProductReport& report, const Trident::Ledger& ledger);

/// Collective. Counts what Tpetra's Multiply must send to each rank: every remote row of op(B) that A's
/// column map names, once. Transposing B is left out, as it is in Trident's ledger.
ImportTraffic countTpetraImport(MPI_Comm comm, const Problem& problem, const Trident::ProductReport& report);

}  // namespace Spgemm

#endif
