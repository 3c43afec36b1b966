// A product of the same patterns into the same C sends values only: right, in the same bits for the same
// values, and within the ledger that is promised, whatever plan, operation, maps and shapes. Eight ranks.

#include <gtest/gtest.h>

#include "TestReuse.hpp"

namespace Trident::Test {
namespace {

class Reuse : public EightRanks {};

std::vector<Op> allOps() { return {{false, false}, {true, false}, {false, true}, {true, true}}; }

const std::pair<const char*, const char*> grids[] = {{"2", "4x1"}, {"2", "2x2"},   {"2", "1x4"},
                                                     {"1", "8x1"}, {"1", "4x2"},   {"1", "2x4"},
                                                     {"1", "1x8"}, {"3,5", "2x1"}, {"3,5", "1x2"}};

/// Operands and several sets of values for them, with their products.
struct Turns {
  Turns(Teuchos::RCP<Matrix> left, Teuchos::RCP<Matrix> right, const Op& operation, int count)
      : a(std::move(left)), b(std::move(right)), op(operation), maps(productMaps(*a, *b, op)) {
    for (int turn = 0; turn < count; ++turn) {
      set(turn);
      expected.push_back(expectedProduct(*a, *b, op));
    }
  }

  /// A's values change every turn, B's every other one.
  void set(int turn) {
    revalueKeepingZeros(*a, 100 + turn);
    revalueKeepingZeros(*b, 200 + turn / 2);
  }

  int count() const { return static_cast<int>(expected.size()); }

  Teuchos::RCP<Matrix> a, b;
  Op op;
  ProductMaps maps;
  std::vector<Expected> expected;
};

/// One product and its repetitions: with new values every time, and at last with the first ones.
void expectReused(const Comm& comm, Turns& turns, const Params& params, const std::string& where) {
  const auto c = Teuchos::rcp(new Matrix(turns.maps.row, 0));
  turns.set(0);
  const auto first = reported(*turns.a, *turns.b, turns.op, *c, params);
  EXPECT_FALSE(first.valuesOnly) << where;
  EXPECT_EQ(differenceToReference(*c, turns.expected[0]), "") << where;
  const Matrix before(*c, Teuchos::Copy);
  const auto graph = c->getCrsGraph();
  const auto importer = c->getGraph()->getImporter();
  for (int turn = 1; turn <= turns.count(); ++turn) {
    const int values = turn % turns.count();
    const auto at = where + ", turn " + std::to_string(turn);
    turns.set(values);
    const auto report = reported(*turns.a, *turns.b, turns.op, *c, params);
    EXPECT_EQ(wrongLedger(report, first), "") << at;
    if (report.nodes > 1) expectLedgerAsPredicted(comm, report, at);
    EXPECT_EQ(differenceToReference(*c, turns.expected[values]), "") << at;
    EXPECT_EQ(report.multiplications, first.multiplications) << at;
  }
  EXPECT_TRUE(sameBits(before, *c)) << where;
  EXPECT_EQ(brokenPromises(*c, turns.maps), "") << where;
  EXPECT_EQ(wrongApply(*c, turns.expected[0]), "") << where;
  EXPECT_EQ(c->getCrsGraph().get(), graph.get()) << where;
  EXPECT_EQ(c->getGraph()->getImporter().get(), importer.get()) << where;
}

/// Both gathers, both local products, one to all rounds in a batch and one to three panels, in turn.
void setEngine(const Params& params, int number) {
  params->set("trident: gather", std::string(number % 2 == 0 ? "shared window" : "allgatherv"));
  params->set("trident: local product", std::string(number / 2 % 2 == 0 ? "host" : "kokkoskernels"));
  params->set("trident: rounds per batch", number % 3);
  params->set("trident: panels", 1 + number / 2 % 3);
}

TEST_F(Reuse, everyGridFilterAndSource) {
  Sample sample(comm);
  Turns turns(sample.a, sample.b, sample.op, 3);
  int number = 0;
  for (const auto& [perNode, grid] : grids) {
    for (const char* filter : {"whole", "needed"}) {
      for (const char* source : {"owners", "tiles"}) {
        for (int engine = 0; engine < 2; ++engine) {
          const auto params = topologyParams(perNode, grid);
          params->set("trident: filter", std::string(filter));
          params->set("trident: tiles from", std::string(source));
          setEngine(params, number++);
          const auto where = std::string("nodes ") + perNode + ", grid " + grid + ", " + filter + " from " +
                             source + ", engine " + std::to_string(number - 1);
          expectReused(comm, turns, params, where);
        }
        number += 5;  // other engines and batches next time
      }
    }
  }
}

TEST_F(Reuse, chosenPlans) {
  Sample sample(comm);
  Turns turns(sample.a, sample.b, sample.op, 3);
  for (const char* perNode : {"1", "2", "4", "8", "3,5"})
    expectReused(comm, turns, topologyParams(perNode, ""), std::string("nodes ") + perNode);
}

TEST_F(Reuse, transposedOperands) {
  int number = 0;
  for (const auto& op : allOps()) {
    Sample sample(comm, op);
    Turns turns(sample.a, sample.b, op, 2);
    for (const auto& [perNode, grid] : grids) {
      const auto params = topologyParams(perNode, grid);
      params->set("trident: filter", std::string(number % 8 < 4 ? "whole" : "needed"));
      setEngine(params, number++);
      expectReused(comm, turns, params, name(op) + ", nodes " + perNode + ", grid " + grid);
    }
  }
}

TEST_F(Reuse, delaysAndSmallMessages) {
  Sample sample(comm);
  Turns turns(sample.a, sample.b, sample.op, 2);
  for (const auto& [perNode, grid] : grids) {
    const auto params = topologyParams(perNode, grid);
    params->set("trident: delay seed", 3);
    params->set("trident: max message bytes", 40LL);
    params->set("trident: rounds ahead", 0);
    expectReused(comm, turns, params, std::string("nodes ") + perNode + ", grid " + grid);
  }
}

TEST_F(Reuse, everyMap) {
  int number = 0;
  for (const auto spread : {Spread::uniform, Spread::uneven, Spread::oneRank, Spread::cyclic,
                            Spread::roundAbout, Spread::shuffled}) {
    for (const auto style : {Columns::fitted, Columns::odd, Columns::unsorted}) {
      for (const bool otherDomain : {false, true}) {
        const Axis rows{60, spread, 5, 3}, inner{50, spread, 5, 3}, columns{70, spread, 5, 3};
        const Axis domainOfA{50, otherDomain ? Spread::shuffled : spread, 5, 3};
        Turns turns(buildMatrix(comm, Shape::random, rows, domainOfA, 1, style),
                    buildMatrix(comm, Shape::random, inner, columns, 2, style), {}, 2);
        const auto& [perNode, grid] = grids[number++ % std::size(grids)];
        const auto params = topologyParams(perNode, grid);
        if (number % 2 == 0) params->set("trident: filter", std::string("needed"));
        expectReused(comm, turns, params, "map case " + std::to_string(number));
      }
    }
  }
}

TEST_F(Reuse, everyShape) {
  int number = 0;
  const Axis axis{60, Spread::cyclic, 5, 3};
  for (int shape = 0; shape <= static_cast<int>(Shape::hugeEntry); ++shape) {
    if (static_cast<Shape>(shape) == Shape::empty) continue;  // below
    for (const bool left : {true, false}) {
      const auto of = [&](bool mine, unsigned seed) {
        return buildMatrix(comm, mine ? static_cast<Shape>(shape) : Shape::random, axis, axis, seed);
      };
      Turns turns(of(left, 1), of(!left, 2), {}, 2);
      const auto& [perNode, grid] = grids[number++ % std::size(grids)];
      const auto params = topologyParams(perNode, grid);
      if (number % 2 == 0) params->set("trident: filter", std::string("needed"));
      expectReused(comm, turns, params,
                   std::string(name(static_cast<Shape>(shape))) + (left ? " A" : " B") + ", nodes " +
                       perNode + ", grid " + grid);
    }
  }
}

// Stored zeros of B count for C's pattern, so they may come and go; A times them is zero, of either sign.
TEST_F(Reuse, zerosOfBComeAndGo) {
  for (const auto& [perNode, grid] : grids) {
    Sample sample(comm);
    const auto params = topologyParams(perNode, grid);
    const auto c = sample.newC();
    const auto zeroed = [&](size_t part) {
      revalue(*sample.b, 300);
      const auto values = sample.b->getLocalMatrixHost().values;
      for (size_t e = 0; e < values.extent(0); e += part) values(e) = 0;
    };
    zeroed(1);
    reported(*sample.a, *sample.b, {}, *c, params);
    const Matrix before(*c, Teuchos::Copy);
    for (const size_t part : {3, 2, 1}) {
      zeroed(part);
      EXPECT_TRUE(reported(*sample.a, *sample.b, {}, *c, params).valuesOnly);
      EXPECT_EQ(differenceToReference(*c, sample.expected()), "") << grid << ", every " << part;
    }
    EXPECT_TRUE(sameBits(before, *c)) << "nodes " << perNode << ", grid " << grid;
  }
}

// C's graph is the user's, in another order and with more entries: the places of the product's are kept.
TEST_F(Reuse, graphOfTheUser) {
  int number = 0;
  for (const auto& op : allOps()) {
    for (size_t g = op.transposeA == op.transposeB ? 0 : 1; g < std::size(grids); g += 2) {
      const auto& [perNode, grid] = grids[g];
      Sample sample(comm, op);
      auto graph = sample.expected().product;
      for (std::int64_t i = 0; i < 60; i += 7) {
        for (std::int64_t j = 0; j < 70; j += 9) graph.row[5 + 3 * i].emplace(5 + 3 * j, 0);
      }
      const auto c = matrixOf(graph, sample.maps);
      const auto params = topologyParams(perNode, grid);
      setEngine(params, number++);
      const auto where = name(op) + ", nodes " + perNode + ", grid " + grid;
      const auto first = reported(*sample.a, *sample.b, op, *c, params);
      EXPECT_FALSE(first.valuesOnly) << where;
      for (unsigned turn = 0; turn < 2; ++turn) {
        revalue(*sample.a, 100 + turn);
        revalue(*sample.b, 200 + turn);
        const auto report = reported(*sample.a, *sample.b, op, *c, params);
        EXPECT_EQ(wrongLedger(report, first), "") << where;
        expectLedgerAsPredicted(comm, report, where);
        const auto expected = within(sample.expected(), graph);
        EXPECT_EQ(differenceToReference(*c, expected), "") << where;
        EXPECT_EQ(wrongApply(*c, expected), "") << where;
      }
    }
  }
}

// A report is no part of a product: asking for one must not make it another.
TEST_F(Reuse, withAndWithoutReport) {
  Sample sample(comm);
  const auto c = sample.newC();
  for (const char* grid : {"2x2", "4x1"}) {
    const auto params = topologyParams("2", grid);
    multiply(*sample.a, *sample.b, {}, *c, params);
    revalue(*sample.a, 5);
    const auto report = reported(*sample.a, *sample.b, {}, *c, params);
    EXPECT_TRUE(report.valuesOnly);
    expectLedgerAsPredicted(comm, report, grid);
    EXPECT_EQ(differenceToReference(*c, sample.expected()), "");
  }
}

// Matrices that are built anew, on maps that are built anew, are still the same patterns.
TEST_F(Reuse, matricesAndMapsMadeAnew) {
  Sample sample(comm);
  const auto c = sample.newC();
  multiply(*sample.a, *sample.b, {}, *c, topologyParams("2", "2x2"));
  const auto importer = c->getGraph()->getImporter();
  Sample again(comm);
  revalue(*again.a, 7);
  EXPECT_TRUE(reported(*again.a, *again.b, {}, *c, topologyParams("2", "2x2")).valuesOnly);
  EXPECT_EQ(differenceToReference(*c, again.expected()), "");
  EXPECT_EQ(brokenPromises(*c, again.maps), "");
  EXPECT_EQ(c->getGraph()->getImporter().get(), importer.get()) << "the importer was made again";
}

}  // namespace
}  // namespace Trident::Test
