// Trident::MatrixMatrix::Jacobi: against the serial B - omega D^-1 A B and against Tpetra's own, whatever
// state C is in, and again with other values. Eight ranks.

#include <gtest/gtest.h>

#include <TpetraExt_MatrixMatrix.hpp>

#include "TestTriple.hpp"

namespace Trident::Test {
namespace {

/// What D^-1 is made of.
enum class Diagonal { positive, someZeros, allZeros, ones };

/// A square A, D^-1 on its rows and B on the same rows.
struct Step {
  Step(const Comm& comm, Shape shapeOfA = Shape::random, Shape shapeOfB = Shape::random,
       Spread spread = Spread::shuffled, Columns style = Columns::fitted, bool otherDomain = false)
      : rows{60, spread, 5, 3}, columns{40, Spread::uneven, 5, 3} {
    const Axis domain{60, otherDomain ? Spread::roundAbout : spread, 5, 3};
    a = buildMatrix(comm, shapeOfA, rows, domain, 1, style);
    b = buildMatrix(comm, shapeOfB, rows, columns, 2, style);
    dinv = Teuchos::rcp(new Vector(a->getRowMap()));
    setDinv(Diagonal::positive, 7);
    maps = productMaps(*a, *b, {});
  }

  void setDinv(Diagonal diagonal, unsigned seed) {
    for (LO l = 0; l <= dinv->getMap()->getMaxLocalIndex(); ++l) {
      const GO i = dinv->getMap()->getGlobalElement(l);
      const bool zero = diagonal == Diagonal::allZeros || (diagonal == Diagonal::someZeros && i % 4 == 1);
      const double value = diagonal == Diagonal::ones ? 1 : 1.5 + valueAt(i, 3, seed);
      dinv->replaceLocalValue(l, zero ? 0 : value);
    }
  }

  /// D^-1, omega and the values of A and B; stored zeros of A and B stay.
  void revalue(unsigned seed) {
    omega = 0.3 + 0.1 * (seed % 5);
    setDinv(seed % 2 == 0 ? Diagonal::positive : Diagonal::someZeros, seed);
    revalueKeepingZeros(*a, seed + 1);
    revalueKeepingZeros(*b, seed + 2);
  }

  /// Every stored entry of A's diagonal becomes this.
  void setDiagonal(double value) {
    const auto local = a->getLocalMatrixHost();
    for (LO i = 0; i < static_cast<LO>(local.numRows()); ++i) {
      for (size_t e = local.graph.row_map(i); e < local.graph.row_map(i + 1); ++e) {
        if (a->getColMap()->getGlobalElement(local.graph.entries(e)) == a->getRowMap()->getGlobalElement(i))
          local.values(e) = value;
      }
    }
  }

  /// By the definition; zeros stored in A do not count, those in B do. Collective.
  Expected expected() const {
    std::map<std::int64_t, double> d = diagonalEverywhere();
    Expected whole{gathered(*b), Reference::absolute(gathered(*b))};
    const auto right = gathered(*b);
    for (const auto& [i, row] : gathered(*a).row) {
      for (const auto& [k, aik] : row) {
        const auto found = right.row.find(k);
        if (aik == 0 || found == right.row.end()) continue;
        const double factor = -omega * d[i] * aik;
        for (const auto& [j, bkj] : found->second) {
          whole.product.row[i][j] += factor * bkj;
          whole.bound.row[i][j] += std::abs(factor * bkj);
        }
      }
    }
    return whole;
  }

  std::map<std::int64_t, double> diagonalEverywhere() const {
    Matrix diagonal(a->getRowMap(), 1);
    for (LO l = 0; l <= dinv->getMap()->getMaxLocalIndex(); ++l) {
      const GO i = dinv->getMap()->getGlobalElement(l);
      const Scalar value = dinv->getData()[l];
      diagonal.insertGlobalValues(i, 1, &value, &i);
    }
    diagonal.fillComplete(a->getRowMap(), a->getRowMap());
    std::map<std::int64_t, double> d;
    for (const auto& [i, row] : gathered(diagonal).row) d[i] = row.at(i);
    return d;
  }

  void jacobi(Matrix& c, const Params& params, bool fill = true) const {
    MatrixMatrix::Jacobi(omega, *dinv, *a, *b, c, fill, "test", params);
  }
  ProductReport reported(Matrix& c, const Params& params) const {
    const auto report = Teuchos::rcp(new ProductReport);
    params->set("trident: report", report);
    jacobi(c, params);
    EXPECT_FALSE(report->handedBack) << report->handBackReason;
    return *report;
  }
  Teuchos::RCP<Matrix> newC() const { return Teuchos::rcp(new Matrix(a->getRowMap(), 0)); }

  Axis rows, columns;
  double omega = 0.7;
  Teuchos::RCP<Matrix> a, b;
  Teuchos::RCP<Vector> dinv;
  ProductMaps maps;
};

class JacobiTest : public EightRanks {
 protected:
  /// A new C on this topology.
  ProductReport expectStep(const Step& step, size_t number, const std::string& text) {
    return expectStep(step, step.expected(), number, text);
  }
  ProductReport expectStep(const Step& step, const Expected& expected, size_t number,
                           const std::string& text) {
    const auto topology = allTopologies()[number % allTopologies().size()];
    const auto params = topologyParams(topology.first, topology.second);
    if (number % 3 == 1) params->set("trident: local product", std::string("kokkoskernels"));
    const auto c = step.newC();
    auto report = step.reported(*c, params);
    const auto all = text + ", " + where(topology);
    EXPECT_EQ(differenceToReference(*c, expected), "") << all;
    EXPECT_EQ(brokenPromises(*c, step.maps), "") << all;
    EXPECT_EQ(wrongApply(*c, expected), "") << all;
    return report;
  }
};

TEST_F(JacobiTest, everyShape) {
  size_t number = 0;
  for (int shape = 0; shape < static_cast<int>(Shape::hugeEntry); ++shape) {
    for (int which = 0; which < 3; ++which) {
      const auto of = static_cast<Shape>(shape);
      Step step(comm, which != 1 ? of : Shape::random, which != 0 ? of : Shape::random,
                number % 2 == 0 ? Spread::shuffled : Spread::uneven);
      expectStep(step, number++, std::string(name(of)) + " in " + std::to_string(which));
    }
  }
}

TEST_F(JacobiTest, everyTopologyAndSpread) {
  for (const auto spread : {Spread::uniform, Spread::uneven, Spread::oneRank, Spread::cyclic,
                            Spread::roundAbout, Spread::shuffled}) {
    for (const bool otherDomain : {false, true}) {
      const Columns style = otherDomain ? Columns::odd : Columns::fitted;
      Step step(comm, Shape::explicitZeros, Shape::random, spread, style, otherDomain);
      step.setDinv(Diagonal::someZeros, 5);
      const auto expected = step.expected();
      for (size_t number = 0; number < allTopologies().size(); number += otherDomain ? 2 : 1) {
        const auto text = "spread " + std::to_string(static_cast<int>(spread));
        const auto report = expectStep(step, expected, number, text);
        if (report.nodes > 1 && spread != Spread::oneRank) expectLedgerAsPredicted(comm, report, text);
      }
    }
  }
}

TEST_F(JacobiTest, scalingsThatCancel) {
  size_t number = 0;
  for (const auto shape : {Shape::diagonal, Shape::tridiagonal, Shape::stencil}) {
    for (int turn = 0; turn < 3; ++turn) {
      Step step(comm, shape);
      step.omega = 0.5;
      step.setDinv(Diagonal::ones, 0);
      step.setDiagonal(2);
      expectStep(step, number++, "omega d a_ii = 1");  // of the diagonal one C is zero, with B's entries
      step.setDiagonal(0);
      expectStep(step, number++, "zero diagonal");
      step.setDiagonal(3);
      step.setDinv(Diagonal::allZeros, 0);
      expectStep(step, number++, "D^-1 = 0");
      step.setDinv(Diagonal::positive, 0);
      step.omega = 0;
      expectStep(step, number++, "omega = 0");
    }
  }
}

// Tpetra leaves out zeros that are stored in B where A B has no entry; here B has none.
TEST_F(JacobiTest, storedZerosOfACountIfAskedFor) {
  Step step(comm, Shape::explicitZeros);
  const auto entries = [&](bool skip) {
    const auto params = topologyParams("2", "");
    params->set("trident: skip zeros", skip);
    const auto c = step.newC();
    step.jacobi(*c, params);
    return c->getGlobalNumEntries();
  };
  EXPECT_GT(entries(false), entries(true));
}

TEST_F(JacobiTest, asTpetrasOwn) {
  size_t number = 0;
  for (const auto shape :
       {Shape::random, Shape::sparseRandom, Shape::stencil, Shape::explicitZeros, Shape::denseRow,
        Shape::denseColumn, Shape::emptyRows, Shape::empty, Shape::farBand}) {
    for (const auto spread : {Spread::uniform, Spread::uneven, Spread::shuffled}) {
      Step step(comm, shape, number % 2 == 0 ? Shape::random : Shape::sparseRandom, spread);
      if (number % 3 == 1) step.setDinv(Diagonal::someZeros, 4);
      const auto expected = step.expected();
      const auto stock = step.newC();
      Tpetra::MatrixMatrix::Jacobi(step.omega, *step.dinv, *step.a, *step.b, *stock);
      for (int turn = 0; turn < 2; ++turn) {
        const auto topology = allTopologies()[number++ % allTopologies().size()];
        const auto c = step.newC();
        step.reported(*c, topologyParams(topology.first, topology.second));
        EXPECT_EQ(differenceTo(*stock, *c, &expected), "") << name(shape) << ", " << where(topology);
        EXPECT_TRUE(c->getDomainMap()->isSameAs(*stock->getDomainMap()));
        EXPECT_TRUE(c->getRangeMap()->isSameAs(*stock->getRangeMap()));
      }
      if (number % 4 == 0) {
        const auto list = Teuchos::parameterList();
        list->set("trident: plan", std::string("tpetra"));
        const auto c = step.newC();
        step.jacobi(*c, list);
        EXPECT_EQ(differenceTo(*stock, *c, nullptr), "");
      }
    }
  }
}

TEST_F(JacobiTest, everyStateOfC) {
  for (const auto& topology : {oneColumn()[3], severalColumns()[0]}) {
    const auto params = topologyParams(topology.first, topology.second);
    Step step(comm, Shape::explicitZeros);
    const auto expected = step.expected();
    const auto graph = enlarged(expected.product, step.rows, step.columns);
    const auto own = matrixOf(graph, step.maps), resumed = matrixOf(graph, step.maps);
    resumed->resumeFill();
    for (const auto& c : {own, resumed}) {
      step.jacobi(*c, params);
      EXPECT_EQ(differenceToReference(*c, within(expected, graph)), "") << where(topology);
      EXPECT_TRUE(c->isFillComplete());
    }
    const auto filled = step.newC();
    step.jacobi(*filled, params);
    Matrix ofGraph(filled->getCrsGraph());
    step.jacobi(ofGraph, params);
    EXPECT_EQ(differenceToReference(ofGraph, expected), "");

    Matrix roomy(step.maps.row, 60);
    step.jacobi(roomy, params, false);
    EXPECT_TRUE(roomy.isFillActive());
    roomy.fillComplete(step.maps.domain, step.maps.range);
    EXPECT_EQ(differenceToReference(roomy, expected), "") << where(topology);
    EXPECT_EQ(brokenPromises(roomy, step.maps, {true, false}), "");

    own->resumeFill();
    own->setAllToScalar(0);
    for (int turn = 0; turn < 2; ++turn) step.jacobi(*own, params, false);  // summed into the graph, twice
    own->fillComplete(step.maps.domain, step.maps.range);
    auto twice = within(expected, graph);
    for (auto& [i, row] : twice.product.row)
      for (auto& [j, value] : row) value *= 2, twice.bound.row[i][j] *= 2;
    EXPECT_EQ(differenceToReference(*own, twice), "") << where(topology);
  }
}

TEST_F(JacobiTest, againWithOtherValues) {
  for (size_t number = 0; number < allTopologies().size(); ++number) {
    const auto topology = allTopologies()[number];
    const bool ofTheUser = number % 2 == 1;
    Step step(comm, number % 4 < 2 ? Shape::random : Shape::explicitZeros);
    const auto graph = enlarged(step.expected().product, step.rows, step.columns);
    const auto c = ofTheUser ? matrixOf(graph, step.maps) : step.newC();
    const auto params = topologyParams(topology.first, topology.second);
    if (number % 3 == 2) params->set("trident: local product", std::string("kokkoskernels"));
    const auto first = step.reported(*c, params);
    EXPECT_FALSE(first.valuesOnly);
    for (const unsigned seed : {11, 22, 33}) {
      step.revalue(seed);
      if (seed == 22) c->resumeFill();
      const auto report = step.reported(*c, params);
      EXPECT_EQ(wrongLedger(report, first), "") << where(topology);
      const auto expected = ofTheUser ? within(step.expected(), graph) : step.expected();
      EXPECT_EQ(differenceToReference(*c, expected), "") << where(topology) << ", values " << seed;
    }
  }
}

// A plain product, and one of an A with more zeros, fall back to full ones in the graph that C has.
TEST_F(JacobiTest, anotherProductIntoItsC) {
  for (const auto& topology : allTopologies()) {
    const auto params = topologyParams(topology.first, topology.second);
    Step step(comm);
    const auto c = step.newC();
    step.jacobi(*c, params);
    const auto graph = step.expected().product;
    EXPECT_FALSE(reported(*step.a, *step.b, {}, *c, params).valuesOnly);
    EXPECT_EQ(differenceToReference(*c, within(expectedProduct(*step.a, *step.b, {}), graph)), "");
    EXPECT_FALSE(step.reported(*c, params).valuesOnly);
    EXPECT_EQ(differenceToReference(*c, step.expected()), "");
    const auto values = step.a->getLocalMatrixHost().values;
    if (comm->getRank() == 3 && values.extent(0) > 0) values(0) = 0;
    EXPECT_FALSE(step.reported(*c, params).valuesOnly);
    EXPECT_EQ(differenceToReference(*c, within(step.expected(), graph)), "") << where(topology);
  }
}

TEST_F(JacobiTest, DinvAndBMustLieAsAsRows) {
  Step step(comm);
  const auto params = topologyParams("2", "2x2");
  const auto good = step.dinv;
  std::vector<GO> mine;  // the same indices, on rank 3 in another order
  for (LO l = 0; l <= good->getMap()->getMaxLocalIndex(); ++l)
    mine.push_back(good->getMap()->getGlobalElement(l));
  if (comm->getRank() == 3) std::reverse(mine.begin(), mine.end());
  const auto swapped = Teuchos::rcp(new Map(60, Teuchos::ArrayView<const GO>(mine.data(), mine.size()),
                                            good->getMap()->getIndexBase(), comm));
  const auto c = step.newC();
  const auto refused = [&](const std::string& part) {
    EXPECT_EQ(errorEverywhere(
                  comm, [&] { step.jacobi(*c, params); }, part),
              "runtime_error");
    EXPECT_TRUE(c->isFillActive() && !c->isLocallyIndexed() && !c->isGloballyIndexed());
  };
  for (const auto& map :
       {Axis{60, Spread::cyclic, 5, 3}.map(comm), Teuchos::rcp_implicit_cast<const Map>(swapped),
        Axis{59, Spread::cyclic, 5, 3}.map(comm)}) {
    step.dinv = Teuchos::rcp(new Vector(map));
    refused("Dinv");
  }
  step.dinv = good;
  const auto b = step.b;
  step.b = buildMatrix(comm, Shape::random, {60, Spread::cyclic, 5, 3}, step.columns, 2);
  refused("B's row map");
  step.b = buildMatrix(comm, Shape::random, {59, Spread::cyclic, 5, 3}, step.columns, 2);
  refused("60x60");
  step.b = b;
  step.jacobi(*c, params);
  EXPECT_EQ(differenceToReference(*c, step.expected()), "");
}

}  // namespace
}  // namespace Trident::Test
