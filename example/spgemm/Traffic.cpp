#include "Traffic.hpp"

#include <Tpetra_Import.hpp>
#include <Tpetra_Import_Util.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>

#include "Agreement.hpp"

namespace Spgemm {

namespace {

using Trident::Kind;
using Trident::Ledger;
using Trident::Link;
using Trident::Phase;
using Vector = Tpetra::Vector<double>;

constexpr Phase tilePhases[] = {Phase::convertA, Phase::convertB, Phase::multiplyA, Phase::multiplyB,
                                Phase::mapBackC};

/// Puts this rank's numbers in its node's place and sums over ranks.
class NodeSums {
 public:
  NodeSums(MPI_Comm comm, const Trident::ProductReport& report)
      : comm_(comm),
        nodes_(static_cast<std::size_t>(std::max(report.nodes, 1))),
        node_(static_cast<std::size_t>(report.node)) {}

  PerNode operator()(std::int64_t value) const {
    PerNode values = none();
    values[node_] = value;
    return sumOverRanks(comm_, std::move(values));
  }

  PerNode none() const { return PerNode(nodes_, 0); }

 private:
  MPI_Comm comm_;
  std::size_t nodes_;
  std::size_t node_;
};

void add(PerNode& sum, const PerNode& values) {
  for (std::size_t v = 0; v < sum.size() && v < values.size(); ++v) sum[v] += values[v];
}

std::int64_t tileBytes(const Ledger& ledger, Phase phase, Link link) {
  return ledger.bytesReceived(phase, link, Kind::pointers) +
         ledger.bytesReceived(phase, link, Kind::indices) + ledger.bytesReceived(phase, link, Kind::values);
}

using Importer = Tpetra::Import<LocalOrdinal, GlobalOrdinal, Map::node_type>;

/// How many entries this rank holds in each column of A.
Teuchos::RCP<Vector> heldByColumn(const Matrix& A) {
  const auto held = Teuchos::rcp(new Vector(A.getColMap()));
  const auto columns = A.getLocalMatrixHost().graph.entries;
  const auto data = held->getDataNonConst();
  for (std::size_t k = 0; k < columns.extent(0); ++k) data[columns(k)] += 1;
  return held;
}

Teuchos::RCP<Vector> rowLengths(const Matrix& B) {
  const auto lengths = Teuchos::rcp(new Vector(B.getRowMap()));
  const auto rowMap = B.getLocalMatrixHost().graph.row_map;
  const auto data = lengths->getDataNonConst();
  for (Teuchos::Ordinal r = 0; r < data.size(); ++r) data[r] = static_cast<double>(rowMap(r + 1) - rowMap(r));
  return lengths;
}

/// The length of each row of op(B), for each column of A that this rank has. The importer is null, on all
/// ranks, where A's columns are all their own.
Teuchos::RCP<Vector> rowLengthsByColumnOfA(const Problem& problem,
                                           const Teuchos::RCP<const Importer>& importer) {
  const Matrix& A = *problem.A;
  Teuchos::RCP<Vector> lengths = problem.transposeB ? heldByColumn(A) : rowLengths(*problem.B);
  if (importer.is_null()) return lengths;
  if (problem.transposeB) {
    // B is A: a row of its transpose has what all ranks hold of that column, summed at the owner.
    const auto summed = Teuchos::rcp(new Vector(A.getDomainMap()));
    summed->doExport(*lengths, *importer, Tpetra::ADD);
    lengths = summed;
  }
  const auto byColumn = Teuchos::rcp(new Vector(A.getColMap()));
  byColumn->doImport(*lengths, *importer, Tpetra::INSERT);
  return byColumn;
}

}  // namespace

Traffic trafficOf(MPI_Comm comm, const Trident::ProductReport& report) {
  const NodeSums perNode(comm, report);
  const Ledger& ledger = report.ledger;
  Traffic traffic;
  traffic.giBytes = traffic.giPredictedBytes = traffic.liBytes = perNode.none();
  std::int64_t giTiles = 0, liTiles = 0;
  for (const Phase phase : tilePhases) {
    PhaseTraffic part;
    part.name = name(phase);
    part.giBytes = perNode(tileBytes(ledger, phase, Link::Gi));
    part.liBytes = perNode(tileBytes(ledger, phase, Link::Li));
    part.giEntries = perNode(ledger.entriesReceived(phase, Link::Gi));
    part.giRows = perNode(ledger.rowsReceived(phase, Link::Gi));
    part.giPredictedBytes = perNode.none();
    add(part.giPredictedBytes, report.predictedGiBytes[static_cast<std::size_t>(phase)]);
    add(traffic.giBytes, part.giBytes);
    add(traffic.liBytes, part.liBytes);
    add(traffic.giPredictedBytes, part.giPredictedBytes);
    giTiles += tileBytes(ledger, phase, Link::Gi);
    liTiles += tileBytes(ledger, phase, Link::Li);
    traffic.phases.push_back(std::move(part));
  }
  traffic.giOtherBytes = perNode(ledger.bytesReceived(Link::Gi) - giTiles);
  traffic.liOtherBytes = perNode(ledger.bytesReceived(Link::Li) - liTiles);
  return traffic;
}

PerNode giBytesOf(MPI_Comm comm, const Trident::ProductReport& report, const Trident::Ledger& ledger) {
  return NodeSums(comm, report)(ledger.bytesReceived(Link::Gi));
}

ImportTraffic countTpetraImport(MPI_Comm comm, const Problem& problem, const Trident::ProductReport& report) {
  constexpr std::int64_t bytesPerEntry = sizeof(GlobalOrdinal) + sizeof(double);
  constexpr std::int64_t bytesPerRow = sizeof(std::size_t);
  const std::vector<std::int64_t> nodeOf = gatherFromRanks(comm, report.node);
  ImportTraffic traffic;
  traffic.giBytes = traffic.liBytes = NodeSums(comm, report).none();

  const Teuchos::RCP<const Importer> importer = problem.A->getGraph()->getImporter();
  const Teuchos::RCP<Vector> byColumn = rowLengthsByColumnOfA(problem, importer);
  const auto lengths = byColumn->getData();
  const auto A = problem.A->getLocalMatrixHost();
  std::int64_t multiplications = 0;
  for (std::size_t k = 0; k < A.values.extent(0); ++k)
    if (A.values(k) != 0) multiplications += static_cast<std::int64_t>(lengths[A.graph.entries(k)]);
  traffic.multiplications = sumOverRanks(comm, multiplications);

  // The importer's remotes are the columns whose rows of B come from other ranks, and its distributor knows
  // from where.
  if (!importer.is_null()) {
    const auto columnsWanted = importer->getRemoteLIDs();
    Teuchos::Array<int> owners;
    Tpetra::Import_Util::getRemotePIDs(*importer, owners);
    for (Teuchos::Ordinal k = 0; k < columnsWanted.size(); ++k) {
      const std::int64_t bytes =
          bytesPerRow + bytesPerEntry * static_cast<std::int64_t>(lengths[columnsWanted[k]]);
      const bool sameNode = nodeOf[static_cast<std::size_t>(owners[k])] == report.node;
      (sameNode ? traffic.liBytes : traffic.giBytes)[static_cast<std::size_t>(report.node)] += bytes;
    }
  }
  traffic.giBytes = sumOverRanks(comm, std::move(traffic.giBytes));
  traffic.liBytes = sumOverRanks(comm, std::move(traffic.liBytes));
  return traffic;
}

}  // namespace Spgemm
