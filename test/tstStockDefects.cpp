// What stock Tpetra gets wrong (an importer left in a list, a C of other rows, an entry that one rank's graph
// lacks, inputs without global constants), and failures of one rank, in all three functions: right, or the
// same error everywhere with C as it was. Eight ranks.

#include <gtest/gtest.h>

#include <TpetraExt_MatrixMatrix.hpp>

#include "TestTriple.hpp"

namespace Trident::Test {
namespace {

/// A call of one of our products on matrices of this kind.
struct Call {
  std::string name;
  ProductMaps maps;
  std::function<void(Matrix&, const Params&)> multiply;
  std::function<Expected()> expected;
  std::function<void(unsigned)> revalue;
  bool stockCan = true;  ///< Tpetra's own products want maps that agree
};

/// B - omega D^-1 A B for D = 1.
Expected expectedStep(double omega, const Matrix& a, const Matrix& b) {
  Expected whole = expectedProduct(a, b, {});
  for (auto& [i, row] : whole.product.row)
    for (auto& [j, value] : row) value *= -omega, whole.bound.row[i][j] *= omega;
  for (const auto& [i, row] : gathered(b).row) {
    for (const auto& [j, value] : row) {
      whole.product.row[i][j] += value;
      whole.bound.row[i][j] += std::abs(value);
    }
  }
  return whole;
}

Call callOfStep(Teuchos::RCP<Matrix> a, Teuchos::RCP<Matrix> b) {
  const auto dinv = Teuchos::rcp(new Vector(a->getRowMap()));
  dinv->putScalar(1);
  return {"Jacobi", productMaps(*a, *b, {}),
          [=](Matrix& c, const Params& params) {
            MatrixMatrix::Jacobi(0.6, *dinv, *a, *b, c, true, "test", params);
          },
          [=] { return expectedStep(0.6, *a, *b); },
          [=](unsigned seed) {
            revalueKeepingZeros(*a, seed);
            revalueKeepingZeros(*b, seed + 1);
          }};
}

Call callOf(Teuchos::RCP<Matrix> a, Teuchos::RCP<Matrix> b, const Op& op) {
  return {name(op), productMaps(*a, *b, op),
          [=](Matrix& c, const Params& params) { multiply(*a, *b, op, c, params); },
          [=] { return expectedProduct(*a, *b, op); },
          [=](unsigned seed) {
            revalueKeepingZeros(*a, seed);
            revalueKeepingZeros(*b, seed + 1);
          }};
}

Call callOf(const std::shared_ptr<Triple>& triple) {
  return {"MultiplyRAP with " + triple->name(),
          triple->maps,
          [=](Matrix& c, const Params& params) { triple->multiply(c, params); },
          [=] { return triple->expected(); },
          [=](unsigned seed) { triple->revalue(seed); },
          triple->left != Left::transposedElsewhere && triple->left != Left::explicitElsewhere};
}

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

Params paramsOf(const std::pair<std::string, std::string>& topology) {
  return topologyParams(topology.first, topology.second);
}

class StockDefects : public EightRanks {
 protected:
  /// All three functions; `prepared` is applied to every factor.
  static std::vector<Call> calls(const Comm& comm,
                                 const std::function<Teuchos::RCP<Matrix>(Teuchos::RCP<Matrix>)>& prepared) {
    const Axis rows{60, Spread::shuffled, 5, 3}, inner{50, Spread::uneven, 5, 3},
        columns{40, Spread::cyclic, 5, 3};
    const auto build = [&](const Axis& i, const Axis& j, unsigned seed) {
      return prepared(buildMatrix(comm, Shape::random, i, j, seed));
    };
    std::vector<Call> all;
    all.push_back(callOf(build(rows, inner, 1), build(inner, columns, 2), {false, false}));
    all.push_back(callOf(build(inner, rows, 1), build(inner, columns, 2), {true, false}));
    all.push_back(callOf(build(inner, rows, 1), build(columns, inner, 2), {true, true}));
    Axis elsewhere = inner;  // A's rows and B's lie differently: A must not stay where it is
    elsewhere.spread = Spread::roundAbout;
    all.push_back(callOf(build(elsewhere, rows, 1), build(inner, columns, 2), {true, false}));
    all.back().name += " with rows of A elsewhere than B's";
    all.back().stockCan = false;
    all.push_back(callOfStep(build(rows, rows, 1), build(rows, columns, 2)));
    for (const auto left : allLefts) {
      const auto triple = std::make_shared<Triple>(comm, TripleCase{left});
      triple->a = prepared(triple->a);
      const bool same = triple->r == triple->p;
      triple->p = prepared(triple->p);
      triple->r = same ? triple->p : prepared(triple->r);
      all.push_back(callOf(triple));
    }
    return all;
  }
  std::vector<Call> calls() const {
    return calls(comm, [](Teuchos::RCP<Matrix> a) { return a; });
  }

  void expectRight(const Call& call, const Params& params, const std::string& text) const {
    expectRight(call, call.expected(), params, text);
  }
  void expectRight(const Call& call, const Expected& expected, const Params& params,
                   const std::string& text) const {
    const auto c = Teuchos::rcp(new Matrix(call.maps.row, 0));
    call.multiply(*c, params);
    EXPECT_EQ(differenceToReference(*c, expected), "") << call.name << ", " << text;
    EXPECT_EQ(brokenPromises(*c, call.maps), "") << call.name << ", " << text;
  }
};

const Topologies topologies = {{"2", ""}, {"3,5", "2x1"}, {"2", "2x2"}, {"2", "1x4"}};

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
      for (size_t t = inner.size == rows.size ? 0 : 1; t < topologies.size(); t += 2) {
        const auto& topology = topologies[t];
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
      for (const auto& topology : topologies) {
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
    for (const auto& topology : topologies) {
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

// No list at all, and C in phases of columns.
TEST_F(StockDefects, noParametersAndPhases) {
  for (const auto& call : calls()) {
    const auto expected = call.expected();
    expectRight(call, expected, Teuchos::null, "no parameters");
    for (const auto& topology : topologies) {
      const auto phases = paramsOf(topology), budget = paramsOf(topology);
      phases->set("trident: column phases", 3);
      budget->set("trident: memory budget", std::string("1G"));
      for (const auto& params : {phases, budget}) {
        const auto c = Teuchos::rcp(new Matrix(call.maps.row, 0));
        for (int turn = 0; turn < 2; ++turn) {
          params->set("trident: report", Teuchos::rcp(new ProductReport));
          call.multiply(*c, params);
          EXPECT_EQ(differenceToReference(*c, expected), "") << call.name << ", " << where(topology);
          EXPECT_EQ(brokenPromises(*c, call.maps), "") << call.name << ", " << where(topology);
        }
      }
    }
  }
}

// As after repartitioning: other communicators, at the same time, one of a single rank.
TEST_F(StockDefects, disjointCommunicatorsAtOnce) {
  const int color = comm->getRank() < 3 ? 0 : comm->getRank() < 7 ? 1 : 2;
  const Comm part = comm->split(color, comm->getRank());
  for (const auto& call : calls(part, [](Teuchos::RCP<Matrix> a) { return a; })) {
    for (const char* perNode : {"1", ""}) {
      const auto c = Teuchos::rcp(new Matrix(call.maps.row, 0));
      for (unsigned turn = 0; turn < (color == 1 ? 3 : 2); ++turn) {
        call.revalue(70 + 10 * turn);
        call.multiply(*c, topologyParams(perNode, ""));
        EXPECT_EQ(differenceToReference(*c, call.expected()), "") << call.name << ", part " << color;
        EXPECT_EQ(brokenPromises(*c, call.maps), "") << call.name << ", part " << color;
      }
    }
  }
}

TEST_F(StockDefects, tripleProductsThatDoNotFit) {
  for (const auto& topology : topologies) {
    const auto params = paramsOf(topology);
    for (const auto left : {Left::implicitP, Left::explicitR}) {
      const Triple good(comm, {left});
      const auto refused = [&](const Triple& triple, const std::string& part) {
        const auto c = good.newC();
        EXPECT_EQ(errorEverywhere(
                      comm, [&] { triple.multiply(*c, params); }, part),
                  "runtime_error");
        EXPECT_TRUE(c->isFillActive() && !c->isLocallyIndexed() && !c->isGloballyIndexed());
      };
      Triple bad = good;
      bad.a = Teuchos::rcp(new Matrix(good.a->getRowMap(), 3));
      refused(bad, "A is not fill complete");
      bad.a = buildMatrix(comm, Shape::random, {60, Spread::cyclic, 5, 3}, {49, Spread::cyclic, 5, 3}, 1);
      refused(bad, "60x49");
      bad.a = buildMatrix(comm, Shape::random, {59, Spread::cyclic, 5, 3}, {60, Spread::cyclic, 5, 3}, 1);
      refused(bad, "59x60");
      if (left == Left::explicitR) {
        bad = good;
        bad.r = Teuchos::rcp(new Matrix(good.r->getRowMap(), 3));
        refused(bad, "R is not fill complete");
      }
    }
  }
}

// What Trident leaves to Tpetra because a map gives an index to several ranks.
TEST_F(StockDefects, locallyReplicatedColumns) {
  const auto replicated = Teuchos::rcp(new Map(6, 0, comm, Tpetra::LocallyReplicated));
  const Axis fine{60, Spread::uniform}, coarse{20, Spread::uniform};
  const auto a = buildMatrix(comm, Shape::random, fine, fine, 1);
  const auto r = buildMatrix(comm, Shape::random, coarse, fine, 2);
  const auto p = Teuchos::rcp(new Matrix(a->getRowMap(), 6));
  for (LO l = 0; l <= a->getRowMap()->getMaxLocalIndex(); ++l) {
    const GO row = a->getRowMap()->getGlobalElement(l), column = row % 6;
    const Scalar value = 1 + static_cast<Scalar>(row);
    p->insertGlobalValues(row, 1, &value, &column);
  }
  p->fillComplete(replicated, a->getRowMap());
  Matrix ap(a->getRowMap(), 0);
  Tpetra::MatrixMatrix::Multiply(*a, false, *p, false, ap);
  Matrix stock(r->getRowMap(), 0);
  Tpetra::MatrixMatrix::Multiply(*r, false, ap, false, stock);
  for (const auto& topology : topologies) {
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

TEST_F(StockDefects, aFailureOfOneRankTheFirstTime) {
  int number = 0;
  for (const auto& call : calls()) {
    const auto expected = call.expected();
    for (const auto& topology : topologies) {
      for (const int rank : {number % 8, (number + 3) % 8}) {
        ++number;
        const auto failing = paramsOf(topology);
        failing->set("trident: inject failure on rank", rank);
        if (rank % 2 == 1) failing->set("trident: report", Teuchos::rcp(new ProductReport));
        Matrix c(call.maps.row, 0);
        EXPECT_EQ(errorEverywhere(
                      comm, [&] { call.multiply(c, failing); }, "rank " + std::to_string(rank)),
                  "runtime_error")
            << call.name << ", " << where(topology);
        EXPECT_TRUE(c.isFillActive() && !c.isLocallyIndexed() && !c.isGloballyIndexed()) << call.name;
        call.multiply(c, paramsOf(topology));
        EXPECT_EQ(differenceToReference(c, expected), "") << call.name << ", " << where(topology);
      }
    }
  }
}

TEST_F(StockDefects, aFailureOfOneRankTheNextTime) {
  int number = 0;
  for (const auto& call : calls()) {
    for (const auto& topology : topologies) {
      const bool ofTheUser = topology.first == "3,5";
      const auto c = ofTheUser ? matrixOf(call.expected().product, call.maps)
                               : Teuchos::rcp(new Matrix(call.maps.row, 0));
      call.multiply(*c, paramsOf(topology));
      for (const int rank : {number % 8, (number + 3) % 8}) {
        ++number;
        call.revalue(40 + rank);
        const Matrix before(*c, Teuchos::Copy);
        const auto kept = detail::keptWith<Types>(*c);
        const auto failing = paramsOf(topology);
        failing->set("trident: inject failure on rank", rank);
        const auto text = call.name + ", " + where(topology);
        EXPECT_EQ(errorEverywhere(
                      comm, [&] { call.multiply(*c, failing); }, "rank " + std::to_string(rank)),
                  "runtime_error")
            << text;
        EXPECT_TRUE(sameBits(before, *c)) << text;
        EXPECT_TRUE(c->isFillComplete()) << text;
        if (kept) {
          EXPECT_EQ(kept->computation->failure().empty(), comm->getRank() != rank) << text;
        }
        call.multiply(*c, paramsOf(topology));
        EXPECT_EQ(differenceToReference(*c, call.expected()), "") << text;
        EXPECT_EQ(detail::keptWith<Types>(*c), kept) << text;
      }
    }
  }
}

TEST_F(StockDefects, sameBitsWhateverIsLate) {
  for (const auto& call : calls()) {
    for (const auto& topology : topologies) {
      Teuchos::RCP<Matrix> first;
      for (const int seed : {0, 3}) {
        const auto params = paramsOf(topology);
        params->set("trident: delay seed", seed);
        const auto c = Teuchos::rcp(new Matrix(call.maps.row, 0));
        for (int turn = 0; turn < 2; ++turn) {
          call.multiply(*c, params);
          if (first.is_null()) first = Teuchos::rcp(new Matrix(*c, Teuchos::Copy));
          EXPECT_TRUE(sameBits(*first, *c)) << call.name << ", " << where(topology) << ", seed " << seed;
        }
      }
    }
  }
}

}  // namespace
}  // namespace Trident::Test
