#ifndef TRIDENT_CENSUS_HPP
#define TRIDENT_CENSUS_HPP

#include <cstdint>
#include <vector>

#include "detail/Trident_CompleteC.hpp"
#include "detail/Trident_Factors.hpp"
#include "detail/Trident_IdMap.hpp"
#include "exchange/Trident_RowLists.hpp"
#include "observe/Trident_Waiting.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace detail {

/// What every rank tells about its part of a product before anything is decided.
struct RankCensus {
  Statement statement;
  MapPart rows;
  MapPart inner;
  MapPart columns;
  MapPart outer;  ///< of three factors the rows of C; of a transposed A its rows
  std::int64_t entriesA;
  std::int64_t entriesB;
  std::int64_t entriesC;  ///< of C's graph, if it has one
  std::int64_t
      importersServe;        ///< 1 if A's importer starts from B's row map, and A's and B's find all columns
  std::int64_t outerServes;  ///< 1 if the leftmost factor's rows or columns lie as the others' rows do
  std::int64_t stateOfC;
  std::int64_t keeps;       ///< 1: C keeps this very product; 2: its patterns are known, C is new
  std::uint64_t print;      ///< of what the product depends on, on this rank
  std::int64_t neededRows;  ///< of B, that this rank would send to other nodes in node-aware 1D
  std::int64_t neededEntries;
};

/// One all-gather.
inline std::vector<RankCensus> gatherCensus(MPI_Comm comm, const RankCensus& mine) {
  int ranks = 0;
  checkMpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  std::vector<RankCensus> all(static_cast<std::size_t>(ranks));
  checkMpi(watchedAllgather(&mine, sizeof(RankCensus), MPI_BYTE, all.data(), comm, "the census of a product"),
           "MPI_Allgather");
  return all;
}

/// The ranks that have columns for this rank's rows, by an importer to A's column map; null: nobody else.
template <class Import>
RowConsumers consumersBy(const Teuchos::RCP<const Import>& importer) {
  RowConsumers consumers;
  if (importer.is_null()) return consumers;
  const auto rows = importer->getExportLIDs();
  const auto ranks = importer->getExportPIDs();
  const int self = importer->getSourceMap()->getComm()->getRank();
  for (Teuchos::Ordinal e = 0; e < rows.size(); ++e)
    if (ranks[e] >= 0 && ranks[e] != self) {
      consumers.rows.push_back(static_cast<std::int64_t>(rows[e]));
      consumers.ranks.push_back(ranks[e]);
    }
  return consumers;
}

/// Whether an importer finds every column of its target on this rank. Local.
template <class Import>
bool findsAll(const Teuchos::RCP<const Import>& importer) {
  return importer.is_null() || importer->isLocallyComplete();
}

/// This rank's part of A * B; the statement is left open. Local.
template <class Matrix>
RankCensus censusOf(const Matrix& A, const Matrix& B, const Matrix& C) {
  const StateOfC state = stateOf(C);
  RankCensus mine{};
  mine.rows = partOf(*A.getRowMap());
  mine.inner = partOf(*B.getRowMap());
  mine.columns = partOf(*B.getDomainMap());
  mine.entriesA = static_cast<std::int64_t>(A.getLocalMatrixDevice().values.extent(0));
  mine.entriesB = static_cast<std::int64_t>(B.getLocalMatrixDevice().values.extent(0));
  mine.importersServe = sameOnThisRank(*A.getDomainMap(), *B.getRowMap()) &&
                                findsAll(A.getGraph()->getImporter()) && findsAll(B.getGraph()->getImporter())
                            ? 1
                            : 0;
  mine.entriesC =
      state == StateOfC::graph ? static_cast<std::int64_t>(C.getLocalMatrixDevice().values.extent(0)) : 0;
  mine.stateOfC = static_cast<std::int64_t>(state);
  return mine;
}

/// This rank's part of what `factors` say; the statement is left open. Local.
template <class Types>
RankCensus censusOf(const Factors<Types>& factors, const typename Types::matrix_type& C) {
  RankCensus mine = censusOf(*factors.A, *factors.B, C);
  if (factors.R != nullptr) {
    const auto& R = *factors.R;
    const auto& lyingAsA = factors.partialRows ? *R.getRowMap() : *R.getDomainMap();
    mine.outer = partOf(factors.partialRows ? *R.getDomainMap() : *R.getRowMap());
    mine.outerServes =
        sameOnThisRank(lyingAsA, *factors.A->getRowMap()) && findsAll(R.getGraph()->getImporter()) ? 1 : 0;
  } else if (factors.partialRows) {
    const auto& A = *factors.A;
    mine.rows = mine.inner = partOf(*A.getDomainMap());
    mine.outer = partOf(*A.getRowMap());
    mine.outerServes = sameOnThisRank(*A.getRowMap(), *factors.B->getRowMap()) &&
                               findsAll(A.getGraph()->getImporter()) &&
                               findsAll(factors.B->getGraph()->getImporter())
                           ? 1
                           : 0;
    mine.importersServe = mine.outerServes;
  }
  return mine;
}

/// Counts the rows of B that `needed`, for the grid N x 1, names for nodes other than this rank's.
template <class Matrix>
void countNeeded(const NeededOfOwner& needed, int nodes, int node, const Matrix& B, RankCensus& mine) {
  const auto rowPtr = B.getLocalMatrixHost().graph.row_map;
  for (int to = 0; to < nodes; ++to) {
    if (to == node) continue;
    mine.neededRows += static_cast<std::int64_t>(needed.rowsFor(to).size());
    for (const std::int64_t row : needed.rowsFor(to))
      mine.neededEntries += static_cast<std::int64_t>(rowPtr(row + 1) - rowPtr(row));
  }
}

}  // namespace detail
}  // namespace Trident

#endif
