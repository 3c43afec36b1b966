// Calls that differ between ranks, states of C that differ between ranks, and maps that Trident leaves to
// Tpetra: an error on every rank or the right product, never a hang. Eight ranks.

#include <TpetraExt_MatrixMatrix.hpp>

#include "TestModes.hpp"

namespace Trident::Test {
namespace {

/// Under a name that all versions of Tpetra have.
size_t ownCount(const Map& map) { return map.getMyGlobalIndices().extent(0); }

class Agreement : public EightRanks {
 protected:
  void SetUp() override {
    EightRanks::SetUp();
    sample = std::make_unique<Sample>(comm);
  }

  template <class Error>
  void expectOnEveryRank(const Params& params, const Teuchos::RCP<Matrix>& c, const std::string& part) {
    bool asExpected = false;
    try {
      multiply(*sample->a, *sample->b, sample->op, *c, params);
    } catch (const Error& error) {
      asExpected = std::string(error.what()).find(part) != std::string::npos;
    }
    EXPECT_TRUE(asExpected);
    multiply(*sample->a, *sample->b, sample->op, *sample->newC(), topologyParams("2", "2x2"));
  }

  bool first() const { return comm->getRank() == 0; }

  std::unique_ptr<Sample> sample;
};

TEST_F(Agreement, ranksThatAskForDifferentGridsThrow) {
  expectOnEveryRank<std::invalid_argument>(topologyParams("2", first() ? "4x1" : "2x2"), sample->newC(),
                                           "not the same on all ranks");
}

TEST_F(Agreement, ranksThatAskForDifferentNodesThrow) {
  expectOnEveryRank<std::invalid_argument>(topologyParams(first() ? "4" : "2", ""), sample->newC(),
                                           "not the same on all ranks");
}

// One panel that is asked for is not one that nobody has asked for: that one may become several.
TEST_F(Agreement, ranksThatAskForDifferentPanelsThrow) {
  const auto params = topologyParams("2", "4x1");
  if (first()) params->set("trident: panels", 1);
  expectOnEveryRank<std::invalid_argument>(params, sample->newC(), "not the same on all ranks");
}

TEST_F(Agreement, aReportIsForAllRanks) {
  const auto params = topologyParams("2", "2x2");
  if (first()) params->set("trident: report", Teuchos::rcp(new ProductReport));
  expectOnEveryRank<std::invalid_argument>(params, sample->newC(), "not the same on all ranks");
}

TEST_F(Agreement, aListThatOneRankCannotReadThrowsOnAll) {
  const auto params = topologyParams("2", "2x2");
  if (comm->getRank() == 5) params->set("trident: gather", std::string("magic"));
  expectOnEveryRank<std::invalid_argument>(params, sample->newC(), "magic");
}

TEST_F(Agreement, aGraphThatWasNeverFilledIsRefused) {
  const auto c = Teuchos::rcp(new Matrix(sample->maps.row, sample->maps.domain, 8));
  if (ownCount(*c->getColMap()) > 0 && ownCount(*c->getRowMap()) > 0) {
    const LO column = 0;
    const Scalar value = 1;
    c->insertLocalValues(0, 1, &value, &column);
  }
  expectOnEveryRank<std::runtime_error>(topologyParams("2", "2x2"), c, "never been fill complete");
}

TEST_F(Agreement, entriesOnOneRankOnlyAreSummedIntoTheProduct) {
  const auto c = Teuchos::rcp(new Matrix(sample->maps.row, 70));
  auto expected = sample->expected();
  if (ownCount(*c->getRowMap()) > 0 && comm->getRank() == 0) {
    const GO row = c->getRowMap()->getGlobalElement(0);
    const GO column = sample->maps.domain->getMinAllGlobalIndex();
    const Scalar value = 0.5;
    c->insertGlobalValues(row, 1, &value, &column);
  }
  multiply(*sample->a, *sample->b, sample->op, *c, topologyParams("2", "2x2"));
  EXPECT_TRUE(c->isFillComplete());
  const auto extra = static_cast<std::int64_t>(c->getGlobalNumEntries()) - expected.product.entries();
  EXPECT_TRUE(extra == 0 || extra == 1) << extra;
}

TEST_F(Agreement, aRefusedInsertionLeavesCFillComplete) {
  const auto c = sample->newC();
  multiply(*sample->a, *sample->b, sample->op, *c, topologyParams("2", "2x2"));
  const auto full = buildMatrix(comm, Shape::dense, sample->rows, sample->inner, 3);
  try {
    multiply(*full, *sample->b, sample->op, *c, topologyParams("2", "2x2"), false);
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("static graph"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(c->isFillComplete());
}

TEST_F(Agreement, locallyReplicatedMapsGoToTpetra) {
  const GO n = 6;
  const auto replicated =
      Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(n), 0, comm, Tpetra::LocallyReplicated));
  const Axis rows{40, Spread::uniform};
  const auto rowMap = rows.map(comm);
  const auto a = buildMatrix(comm, Shape::random, rows, rows, 1);
  Matrix b(rowMap, static_cast<size_t>(n));
  for (size_t l = 0; l < ownCount(*rowMap); ++l) {
    const GO row = rowMap->getGlobalElement(static_cast<LO>(l));
    const GO column = row % n;
    const Scalar value = 1 + static_cast<Scalar>(row);
    b.insertGlobalValues(row, 1, &value, &column);
  }
  b.fillComplete(replicated, rowMap);
  const auto params = topologyParams("2", "");
  const auto report = Teuchos::rcp(new ProductReport);
  params->set("trident: report", report);
  Matrix c(rowMap, 0);
  Matrix stock(rowMap, 0);
  multiply(*a, b, {}, c, params);
  Tpetra::MatrixMatrix::Multiply(*a, false, b, false, stock);

  EXPECT_TRUE(report->handedBack);
  EXPECT_NE(report->handBackReason.find("domain map"), std::string::npos) << report->handBackReason;
  EXPECT_EQ(c.getGlobalNumEntries(), stock.getGlobalNumEntries());
  EXPECT_EQ(c.getFrobeniusNorm(), stock.getFrobeniusNorm());
}

}  // namespace
}  // namespace Trident::Test
