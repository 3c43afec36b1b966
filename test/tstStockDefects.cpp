// What stock Tpetra gets wrong (an importer left in a list, a C of other rows, an entry that one rank's graph
// lacks, inputs without global constants) in all three functions: right, or the same error everywhere with C
// as it was. Eight ranks.

#include <gtest/gtest.h>

#include <TpetraExt_MatrixMatrix.hpp>

#include "TestCalls.hpp"

namespace Trident::Test {
namespace {

class StockDefects : public EveryCall {};

/// The same matrix, made without global constants, as MueLu's A*P is.
Teuchos::RCP<Matrix> withoutConstants(const Matrix& a) {
  const auto local = a.getLocalMatrixHost();
  auto bare = Teuchos::rcp(new Matrix(a.getRowMap(), a.getColMap(), 80));
  for (LO i = 0; i < static_cast<LO>(local.numRows()); ++i) {
    const auto first = local.graph.row_map(i);
    bare->insertLocalValues(i, static_cast<LO>(local.graph.row_map(i + 1) - first),
                            local.values.data() + first, local.graph.entries.data() + first);
  }
  const auto params = Teuchos::parameterList();
  params->set("compute global constants", false);
  bare->fillComplete(a.getDomainMap(), a.getRangeMap(), params);
  EXPECT_FALSE(bare->getCrsGraph()->haveGlobalConstants());
  EXPECT_THROW(bare->getGlobalNumEntries(), std::logic_error);
  return bare;
}

// Stock keeps its importer in the list and takes it for the next product whatever that is of.
TEST_F(StockDefects, aListThatAnotherProductHasUsed) {
  const Axis rows{60, Spread::shuffled, 5, 3}, other{50, Spread::uneven, 5, 3};
  for (const auto& call : calls()) {
    const auto expected = call.expected();
    for (const Axis& inner : {rows, other}) {  // with the row maps of the next product, among others
      const auto list = Teuchos::parameterList();
      const auto a = buildMatrix(comm, Shape::farBand, rows, inner, 8);
      const auto b = buildMatrix(comm, Shape::sparseRandom, inner, rows, 9);
      Matrix stock(a->getRowMap(), 0);
      Tpetra::MatrixMatrix::Multiply(*a, false, *b, false, stock, true, "", list);
      ASSERT_TRUE(list->isParameter("importer"));
      for (size_t t = inner.size == rows.size ? 0 : 1; t < fewTopologies.size(); t += 2) {
        const auto& topology = fewTopologies[t];
        list->setParameters(*paramsOf(topology));
        list->set("compute global constants", true);  // stock has written false into it
        expectRight(call, expected, list, where(topology));
      }
      if (!call.stockCan) continue;
      list->set("trident: plan", std::string("tpetra"));  // even if Tpetra itself is to do it
      Matrix c(call.maps.row, 0);
      call.multiply(c, list);
      EXPECT_EQ(differenceToReference(c, expected), "") << call.name << ", left to Tpetra";
    }
  }
}

TEST_F(StockDefects, rowsOfCThatLieElsewhere) {
  for (const auto& call : calls()) {
    std::vector<GO> mine;  // the same rows, on rank 6 in another order
    for (LO l = 0; l <= call.maps.row->getMaxLocalIndex(); ++l)
      mine.push_back(call.maps.row->getGlobalElement(l));
    if (comm->getRank() == 6) std::reverse(mine.begin(), mine.end());
    const auto size = call.maps.row->getGlobalNumElements();
    const Axis turned{static_cast<std::int64_t>(size), Spread::roundAbout, 5, 3};
    const auto swapped = Teuchos::rcp(new Map(size, Teuchos::ArrayView<const GO>(mine.data(), mine.size()),
                                              call.maps.row->getIndexBase(), comm));
    for (const auto& map : {turned.map(comm), Teuchos::rcp_implicit_cast<const Map>(swapped)}) {
      for (const auto& topology : fewTopologies) {
        Matrix c(map, 0);
        EXPECT_EQ(errorEverywhere(
                      comm, [&] { call.multiply(c, paramsOf(topology)); }, "row map is not op("),
                  "runtime_error")
            << call.name;
        EXPECT_TRUE(c.isFillActive() && !c.isLocallyIndexed() && !c.isGloballyIndexed());
      }
    }
    expectRight(call, topologyParams("2", ""), "after the error");
  }
}

// Stock throws on the rank that lacks the entry; the others wait.
TEST_F(StockDefects, anEntryThatOneRanksGraphLacks) {
  for (const auto& call : calls()) {
    std::string entry;
    const auto c = lackingOneEntry(call.expected().product, call.maps, entry);
    const Matrix before(*c, Teuchos::Copy);
    for (const auto& topology : fewTopologies) {
      for (const bool active : {false, true}) {
        if (active) c->resumeFill();
        EXPECT_EQ(errorEverywhere(
                      comm, [&] { call.multiply(*c, paramsOf(topology)); }, "new entry " + entry),
                  "runtime_error")
            << call.name << ", " << where(topology);
        EXPECT_TRUE(sameBits(before, *c)) << call.name << ", " << where(topology);
        EXPECT_EQ(c->isFillActive(), active);
        if (active) c->fillComplete(call.maps.domain, call.maps.range);
      }
    }
    expectRight(call, topologyParams("2", ""), "after the error");
  }
}

TEST_F(StockDefects, inputsWithoutGlobalConstants) {
  for (const auto& call : calls(comm, [](Teuchos::RCP<Matrix> a) { return withoutConstants(*a); })) {
    const auto expected = call.expected();
    for (const auto& topology : allTopologies())
      expectRight(call, expected, paramsOf(topology), where(topology));
    const auto bare = topologyParams("2", "");
    bare->set("compute global constants", false);
    Matrix c(call.maps.row, 0);
    for (unsigned turn = 0; turn < 2; ++turn) {
      call.revalue(50 + 10 * turn);
      call.multiply(c, bare);
      EXPECT_EQ(differenceToReference(c, call.expected()), "") << call.name;
      EXPECT_EQ(brokenPromises(c, call.maps, {false, true}), "") << call.name;
    }
  }
}

// One entry a row, in columns that all ranks own.
Teuchos::RCP<Matrix> onReplicatedColumns(const Teuchos::RCP<const Map>& rows,
                                         const Teuchos::RCP<const Map>& replicated) {
  const auto x = Teuchos::rcp(new Matrix(rows, 6));
  for (LO l = 0; l <= rows->getMaxLocalIndex(); ++l) {
    const GO row = rows->getGlobalElement(l), column = row % 6;
    const Scalar value = 1 + static_cast<Scalar>(row);
    x->insertGlobalValues(row, 1, &value, &column);
  }
  x->fillComplete(replicated, rows);
  return x;
}

// The rows of Ac would have several owners.
TEST_F(StockDefects, locallyReplicatedColumnsOfATransposedR) {
  const auto replicated = Teuchos::rcp(new Map(6, 0, comm, Tpetra::LocallyReplicated));
  const Axis fine{60, Spread::uniform}, coarse{20, Spread::uniform};
  const auto a = buildMatrix(comm, Shape::random, fine, fine, 1);
  const auto p = buildMatrix(comm, Shape::random, fine, coarse, 2);
  const auto r = onReplicatedColumns(a->getRowMap(), replicated);
  for (const auto& topology : fewTopologies) {
    const auto params = paramsOf(topology);
    const auto report = Teuchos::rcp(new ProductReport);
    params->set("trident: report", report);
    Matrix c(replicated, 0);
    try {  // what Tpetra makes of such a map is Tpetra's
      TripleMatrixMultiply::MultiplyRAP(*r, true, *a, false, *p, false, c, true, "", params);
    } catch (const std::exception&) {
    }
    EXPECT_TRUE(report->handedBack) << where(topology);
  }
}

// What Trident leaves to Tpetra because a map gives an index to several ranks.
TEST_F(StockDefects, locallyReplicatedColumns) {
  const auto replicated = Teuchos::rcp(new Map(6, 0, comm, Tpetra::LocallyReplicated));
  const Axis fine{60, Spread::uniform}, coarse{20, Spread::uniform};
  const auto a = buildMatrix(comm, Shape::random, fine, fine, 1);
  const auto r = buildMatrix(comm, Shape::random, coarse, fine, 2);
  const auto p = onReplicatedColumns(a->getRowMap(), replicated);
  Matrix ap(a->getRowMap(), 0);
  Tpetra::MatrixMatrix::Multiply(*a, false, *p, false, ap);
  Matrix stock(r->getRowMap(), 0);
  Tpetra::MatrixMatrix::Multiply(*r, false, ap, false, stock);
  for (const auto& topology : fewTopologies) {
    const auto params = paramsOf(topology);
    const auto report = Teuchos::rcp(new ProductReport);
    params->set("trident: report", report);
    Matrix c(r->getRowMap(), 0);
    TripleMatrixMultiply::MultiplyRAP(*r, false, *a, false, *p, false, c, true, "", params);
    EXPECT_EQ(differenceTo(stock, c, nullptr), "") << where(topology);
    EXPECT_TRUE(report->handedBack);
    EXPECT_NE(report->handBackReason.find("domain map"), std::string::npos) << report->handBackReason;

    Vector dinv(a->getRowMap());
    dinv.putScalar(0.5);
    Matrix step(a->getRowMap(), 0), stockStep(a->getRowMap(), 0);
    *report = ProductReport();
    MatrixMatrix::Jacobi(0.7, dinv, *a, *p, step, true, "", params);
    Tpetra::MatrixMatrix::Jacobi(0.7, dinv, *a, *p, stockStep);
    EXPECT_EQ(differenceTo(stockStep, step, nullptr), "") << where(topology);
    EXPECT_TRUE(report->handedBack);
  }
}

}  // namespace
}  // namespace Trident::Test
