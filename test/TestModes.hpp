#ifndef TRIDENT_TEST_MODES_HPP
#define TRIDENT_TEST_MODES_HPP

#include <gtest/gtest.h>

#include <Tpetra_Core.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "TestProducts.hpp"
#include "Trident_MatrixMatrix.hpp"
#include "multiply/Trident_ProductReport.hpp"

// What the tests of calling modes and of errors share.

namespace Trident::Test {

using Params = Teuchos::RCP<Teuchos::ParameterList>;

/// With them each product of a new C is a first one, whatever was multiplied before.
inline Params topologyParams(const std::string& ranksPerNode, const std::string& grid) {
  auto params = Teuchos::parameterList();
  params->set("trident: pattern memory", std::string("0"));
  params->set("trident: ranks per node", ranksPerNode);
  params->set("trident: grid", grid);
  return params;
}

inline void multiply(const Matrix& a, const Matrix& b, const Op& op, Matrix& c, const Params& params,
                     bool fill = true) {
  MatrixMatrix::Multiply(a, op.transposeA, b, op.transposeB, c, fill, "test", params);
}

/// True on every rank if it is on any.
inline bool onAnyRank(const Comm& comm, bool here) {
  int any = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, mpiComm(comm));
  return any != 0;
}

/// New values that depend on places and seed only; the graph stays.
inline void revalue(Matrix& a, unsigned seed) {
  const auto local = a.getLocalMatrixHost();
  for (LO lid = 0; lid < static_cast<LO>(local.numRows()); ++lid) {
    for (size_t e = local.graph.row_map(lid); e < local.graph.row_map(lid + 1); ++e) {
      const GO column = a.getColMap()->getGlobalElement(local.graph.entries(e));
      local.values(e) = valueAt(a.getRowMap()->getGlobalElement(lid), column, seed);
    }
  }
}

/// A matrix with this pattern, complete, all values 7; its column map is in descending order, so neither
/// fitted nor in the order of any product. Collective.
inline Teuchos::RCP<Matrix> matrixOf(const ReferenceMatrix& pattern, const ProductMaps& maps) {
  std::map<GO, std::vector<GO>> rows;
  std::set<GO, std::greater<GO>> needed;
  size_t longest = 0;
  for (const auto& [i, columns] : pattern.row) {
    if (!maps.row->isNodeGlobalElement(static_cast<GO>(i))) continue;
    for (const auto& [j, value] : columns) {
      rows[static_cast<GO>(i)].push_back(static_cast<GO>(j));
      needed.insert(static_cast<GO>(j));
    }
    longest = std::max(longest, columns.size());
  }
  const std::vector<GO> columns(needed.begin(), needed.end());
  const Teuchos::RCP<const Map> columnMap =
      Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                           Teuchos::ArrayView<const GO>(columns.data(), columns.size()),
                           maps.domain->getIndexBase(), maps.row->getComm()));
  auto matrix = Teuchos::rcp(new Matrix(maps.row, columnMap, longest));
  for (const auto& [i, gids] : rows) {
    const std::vector<Scalar> sevens(gids.size(), 7);
    matrix->insertGlobalValues(i, static_cast<LO>(gids.size()), sevens.data(), gids.data());
  }
  matrix->fillComplete(maps.domain, maps.range);
  return matrix;
}

/// Two operands on eight ranks and their product.
struct Sample {
  explicit Sample(const Comm& comm, const Op& operation = {}, Shape shape = Shape::random)
      : op(operation),
        a(buildMatrix(comm, shape, op.transposeA ? inner : rows, op.transposeA ? rows : inner, 1)),
        b(buildMatrix(comm, shape, op.transposeB ? columns : inner, op.transposeB ? inner : columns, 2)),
        maps(productMaps(*a, *b, op)) {}

  Expected expected() const { return expectedProduct(*a, *b, op); }
  Teuchos::RCP<Matrix> newC() const { return Teuchos::rcp(new Matrix(maps.row, 0)); }

  Axis rows{60, Spread::shuffled, 5, 3}, inner{50, Spread::uneven, 5, 3}, columns{70, Spread::cyclic, 5, 3};
  Op op;
  Teuchos::RCP<Matrix> a, b;
  ProductMaps maps;
};

/// Gi bytes and entries of a ledger by phase, requests left out.
struct NodeTraffic {
  std::vector<long long> received, sent;
};

inline NodeTraffic nodeTraffic(const Comm& comm, const ProductReport& report) {
  NodeTraffic traffic{std::vector<long long>(phaseCount * report.nodes, 0),
                      std::vector<long long>(phaseCount * report.nodes, 0)};
  for (int p = 0; p < phaseCount; ++p) {
    for (const Kind kind : {Kind::pointers, Kind::indices, Kind::values}) {
      const auto at = p * report.nodes + report.node;
      traffic.received[at] += report.ledger.bytesReceived(static_cast<Phase>(p), Link::Gi, kind);
      traffic.sent[at] += report.ledger.bytesSent(static_cast<Phase>(p), Link::Gi, kind);
    }
  }
  for (auto* list : {&traffic.received, &traffic.sent}) {
    MPI_Allreduce(MPI_IN_PLACE, list->data(), static_cast<int>(list->size()), MPI_LONG_LONG, MPI_SUM,
                  mpiComm(comm));
  }
  return traffic;
}

/// Gi bytes of every node and phase against the prediction. Collective.
inline void expectLedgerAsPredicted(const Comm& comm, const ProductReport& report, const std::string& where) {
  const auto traffic = nodeTraffic(comm, report);
  long long received = 0, sent = 0;
  for (const auto bytes : traffic.received) received += bytes;
  for (const auto bytes : traffic.sent) sent += bytes;
  EXPECT_EQ(received, sent) << where;
  EXPECT_EQ(received > 0, report.nodes > 1) << where;
  long long all = report.ledger.bytesReceived(Link::Gi);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG_LONG, MPI_SUM, mpiComm(comm));
  EXPECT_EQ(report.giBytesOfAllRanks, all) << where;
  for (int p = 0; p < phaseCount; ++p) {
    const auto begin = traffic.received.begin() + p * report.nodes;
    const auto& predicted = report.predictedGiBytes[p];
    EXPECT_EQ(std::vector<long long>(begin, begin + report.nodes),
              std::vector<long long>(predicted.begin(), predicted.end()))
        << where << ", phase " << Trident::name(static_cast<Phase>(p));
  }
}

class EightRanks : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(comm->getSize(), 8) << "run this test on eight ranks"; }

  Comm comm = Tpetra::getDefaultComm();
};

}  // namespace Trident::Test

#endif
