// Trident::TripleMatrixMultiply::MultiplyRAP: against the serial R (A P), again with other values, and what
// it moves. Eight ranks.

#include <gtest/gtest.h>

#include "TestTriple.hpp"

namespace Trident::Test {
namespace {

class TripleProduct : public EightRanks {};

std::vector<Op> allOps() { return {{false, false}, {true, false}, {false, true}, {true, true}}; }

constexpr Spread spreads[] = {Spread::uniform, Spread::uneven, Spread::shuffled, Spread::cyclic};

/// Axes of which the fine one is spread so, the others otherwise.
TripleAxes axesSpread(size_t number) {
  TripleAxes axes;
  const auto spread = [&](size_t more) { return spreads[(number + more) % std::size(spreads)]; };
  axes.fine.spread = spread(0);
  axes.inner.spread = spread(1);
  axes.columns.spread = spread(2);
  axes.coarse.spread = spread(3);
  if (number % 2 == 0) {  // then Tpetra's own uniform maps are among them
    for (Axis* axis : {&axes.fine, &axes.inner, &axes.columns, &axes.coarse}) {
      axis->offset = 0;
      axis->stride = 1;
    }
  }
  return axes;
}

/// A new Ac by MultiplyRAP, which must be right and as promised.
void expectProduct(const Triple& triple, const Expected& expected, const Params& params,
                   const std::string& text) {
  const auto c = triple.newC();
  triple.reported(*c, params);
  EXPECT_EQ(differenceToReference(*c, expected), "") << text;
  EXPECT_EQ(brokenPromises(*c, triple.maps), "") << text;
}

TEST_F(TripleProduct, everyLeftSpreadAndTopology) {
  size_t number = 0;
  for (const auto left : allLefts) {
    for (size_t spread = 0; spread < std::size(spreads); ++spread) {
      TripleCase of{left, allOps()[number++ % 4]};
      const Triple triple(comm, of, axesSpread(spread));
      const auto expected = triple.expected();
      for (const auto& topology : allTopologies()) {
        const auto text = triple.name() + "spread " + std::to_string(spread) + ", " + where(topology);
        expectProduct(triple, expected, topologyParams(topology.first, topology.second), text);
      }
      const auto c = triple.newC();
      triple.multiply(*c, topologyParams("2", ""));
      EXPECT_EQ(wrongApply(*c, expected), "") << triple.name();
    }
  }
}

TEST_F(TripleProduct, everyTransposition) {
  size_t number = 0;
  for (const auto left : allLefts) {
    for (const auto& op : allOps()) {
      const Triple triple(comm, {left, op}, axesSpread(number));
      const auto expected = triple.expected();
      for (size_t turn = 0; turn < 3; ++turn) {
        const auto topology = allTopologies()[number++ % allTopologies().size()];
        expectProduct(triple, expected, topologyParams(topology.first, topology.second),
                      triple.name() + where(topology));
      }
    }
  }
}

// Zeros stored in R and A add nothing to the pattern, those in P do.
TEST_F(TripleProduct, everyShape) {
  size_t number = 0;
  for (int shape = 0; shape < static_cast<int>(Shape::hugeEntry); ++shape) {
    for (const auto left : {Left::implicitP, Left::otherTransposed, Left::explicitR}) {
      for (const int which : {static_cast<int>(number % 3), 3}) {  // one, and all of them
        TripleCase of{left};
        if (which == 0 || which == 3) of.R = static_cast<Shape>(shape);
        if (which == 1 || which == 3) of.A = static_cast<Shape>(shape);
        if (which == 2 || which == 3) of.P = static_cast<Shape>(shape);
        const auto topology = allTopologies()[number++ % allTopologies().size()];
        const Triple triple(comm, of, axesSpread(number / 2));
        expectProduct(triple, triple.expected(), topologyParams(topology.first, topology.second),
                      triple.name() + name(static_cast<Shape>(shape)) + " in " + std::to_string(which) +
                          ", " + where(topology));
      }
    }
  }
}

// Fewer rows than ranks, and column maps that are not fitted to domain maps.
TEST_F(TripleProduct, smallAndOdd) {
  size_t number = 0;
  for (const auto left : allLefts) {
    for (const auto style : {Columns::fitted, Columns::odd, Columns::unsorted}) {
      for (const std::int64_t size : {1, 3, 60}) {
        TripleAxes axes = axesSpread(number);
        axes.fine.size = axes.inner.size = size;
        axes.coarse.size = axes.columns.size = (size + 1) / 2;
        const auto topology = allTopologies()[number++ % allTopologies().size()];
        const Triple triple(comm, {left, {}, Shape::random, Shape::random, Shape::random, style}, axes);
        expectProduct(triple, triple.expected(), topologyParams(topology.first, topology.second),
                      triple.name() + "columns' style " + std::to_string(static_cast<int>(style)) +
                          ", size " + std::to_string(size) + ", " + where(topology));
      }
    }
  }
}

// One matrix in all places, and the ways of computing that are not the usual ones.
TEST_F(TripleProduct, otherWays) {
  Triple triple(comm);
  triple.p = triple.r = triple.a;
  triple.maps = productMaps(*triple.a, *triple.a, {true, false});
  const auto expected = triple.expected();
  const std::pair<const char*, const char*> settings[] = {
      {"trident: gather", "allgatherv"},  {"trident: local product", "kokkoskernels"},
      {"trident: local product", "host"}, {"trident: filter", "whole"},
      {"trident: filter", "needed"},      {"trident: tiles from", "tiles"},
      {"trident: memory budget", "1G"},   {"trident: plan", "tpetra"}};
  for (const auto& [key, value] : settings) {
    for (const char* grid : {"", "4x1", "1x4"}) {
      const auto params = topologyParams("2", grid);
      params->set(key, std::string(value));
      if (std::string(key) == "trident: local product") params->set("trident: max message bytes", 40LL);
      const auto c = triple.newC();
      triple.multiply(*c, params, false);  // Tpetra completes all the same
      EXPECT_EQ(differenceToReference(*c, expected), "") << key << ' ' << value << ", grid " << grid;
      EXPECT_EQ(brokenPromises(*c, triple.maps), "") << key << ' ' << value << ", grid " << grid;
    }
  }
  const auto phases = topologyParams("2", "");
  phases->set("trident: column phases", 3);
  const auto c = triple.newC();
  triple.multiply(*c, phases);
  EXPECT_EQ(differenceToReference(*c, expected), "");
}

/// Ac again and again with other values: values only, and at last the first ones' bits.
void expectReused(const Comm& comm, Triple& triple, const Params& params, const std::string& text) {
  triple.revalue(100);
  const auto c = triple.newC();
  const auto first = triple.reported(*c, params);
  EXPECT_FALSE(first.valuesOnly) << text;
  if (first.nodes > 1) expectLedgerAsPredicted(comm, first, text + ", first");
  const Matrix before(*c, Teuchos::Copy);
  const auto importer = c->getGraph()->getImporter();
  for (const unsigned seed : {200, 300, 100}) {
    triple.revalue(seed);
    if (seed == 300) c->resumeFill();
    const auto report = triple.reported(*c, params);
    EXPECT_EQ(wrongLedger(report, first), "") << text;
    if (report.nodes > 1) expectLedgerAsPredicted(comm, report, text + ", again");
    EXPECT_EQ(report.multiplications, first.multiplications) << text;
    EXPECT_EQ(differenceToReference(*c, triple.expected()), "") << text << ", values " << seed;
  }
  EXPECT_TRUE(sameBits(before, *c)) << text;
  EXPECT_EQ(brokenPromises(*c, triple.maps), "") << text;
  EXPECT_EQ(importer.get(), c->getGraph()->getImporter().get()) << text;
}

TEST_F(TripleProduct, againWithOtherValues) {
  size_t number = 0;
  for (const auto left : allLefts) {
    for (const auto& topology : oneColumn()) {
      const Shape shape = number % 3 == 2 ? Shape::explicitZeros : Shape::random;
      Triple triple(comm, {left, allOps()[number % 4], shape, shape, shape}, axesSpread(number));
      ASSERT_FALSE(triple.p->getGraph()->getImporter().is_null())
          << "stock's defect needs a P with an importer";
      const auto params = topologyParams(topology.first, topology.second);
      if (number % 2 == 1) params->set("trident: local product", std::string("kokkoskernels"));
      if (number % 5 == 3) params->set("trident: max message bytes", 40LL);
      ++number;
      expectReused(comm, triple, params, triple.name() + where(topology));
    }
  }
}

// Where A P stays in tiles nothing is kept, but a second product is right all the same.
TEST_F(TripleProduct, againOnSeveralColumns) {
  for (const auto left : allLefts) {
    for (const auto& topology : severalColumns()) {
      Triple triple(comm, {left});
      const auto c = triple.newC();
      const auto params = topologyParams(topology.first, topology.second);
      for (unsigned turn = 0; turn < 2; ++turn) {
        triple.revalue(100 + 10 * turn);
        triple.reported(*c, params);
        EXPECT_EQ(differenceToReference(*c, triple.expected()), "") << triple.name() << where(topology);
        EXPECT_EQ(brokenPromises(*c, triple.maps), "") << triple.name() << where(topology);
      }
    }
  }
}

TEST_F(TripleProduct, anotherPatternIsAnotherProduct) {
  for (const auto left : {Left::implicitP, Left::otherTransposed, Left::explicitR}) {
    for (const auto& topology : {oneColumn()[1], oneColumn()[4], severalColumns()[0]}) {
      const auto params = topologyParams(topology.first, topology.second);
      Triple triple(comm, {left});
      const auto c = triple.newC();
      const bool keeps = triple.reported(*c, params).grid.cols == 1;
      const auto graph = triple.expected().product;
      for (const auto& matrix : {triple.r, triple.a, triple.p}) {
        const auto values = matrix->getLocalMatrixHost().values;
        const bool here = comm->getRank() == 3 && values.extent(0) > 0;
        ASSERT_TRUE(onAnyRank(comm, here));
        const Scalar old = here ? values(0) : 0;
        const bool counts = matrix != triple.p || left == Left::implicitP;  // zeros of P itself do not
        for (const Scalar value : {Scalar(0), old}) {
          if (here) values(0) = value;
          EXPECT_EQ(triple.reported(*c, params).valuesOnly, keeps && !counts) << triple.name();
          EXPECT_EQ(differenceToReference(*c, within(triple.expected(), graph)), "") << triple.name();
        }
      }
      const auto full = triple.a;
      const ProductMaps maps{full->getRowMap(), full->getDomainMap(), full->getRangeMap()};
      triple.a = matrixOf(ReferenceMatrix{{{5, {{8, 1.0}}}}}, maps);
      EXPECT_FALSE(triple.reported(*c, params).valuesOnly);
      EXPECT_EQ(differenceToReference(*c, within(triple.expected(), graph)), "") << triple.name();
      triple.a = full;
      EXPECT_FALSE(triple.reported(*c, params).valuesOnly);
      EXPECT_EQ(differenceToReference(*c, triple.expected()), "") << triple.name();
    }
  }
}

TEST_F(TripleProduct, graphOfTheUser) {
  size_t number = 0;
  for (const auto left : allLefts) {
    for (const auto& topology : allTopologies()) {
      if (number++ % 2 == 1) continue;
      const TripleAxes axes = axesSpread(number);
      Triple triple(comm, {left}, axes);
      const auto graph = enlarged(triple.expected().product,
                                  left == Left::implicitP ? axes.columns : axes.coarse, axes.columns);
      const auto c = matrixOf(graph, triple.maps);
      for (unsigned turn = 0; turn < 3; ++turn) {
        triple.revalue(100 + 10 * turn);
        const auto report = triple.reported(*c, topologyParams(topology.first, topology.second));
        const auto text = triple.name() + where(topology);
        EXPECT_EQ(report.valuesOnly, turn > 0 && report.grid.cols == 1) << text;
        const auto expected = within(triple.expected(), graph);
        EXPECT_EQ(differenceToReference(*c, expected), "") << text;
        EXPECT_EQ(wrongApply(*c, expected), "") << text;
        EXPECT_TRUE(c->isFillComplete());
      }
    }
  }
}

// Two products by themselves move no less than the one of three.
TEST_F(TripleProduct, movesNoMoreThanTwoProducts) {
  for (const auto left : allLefts) {
    for (const auto shape : {Shape::random, Shape::denseRow}) {
      for (const char* perNode : {"1", "2", "3,5", "4"}) {
        const Triple triple(comm, {left, {}, Shape::sparseRandom, shape, Shape::sparseRandom});
        const auto c = triple.newC(), twice = triple.newC();
        const auto one = triple.reported(*c, topologyParams(perNode, ""));
        Matrix ap(triple.a->getRowMap(), 0);
        const auto first = reported(*triple.a, *triple.p, triple.op, ap, topologyParams(perNode, ""));
        const auto second =
            reported(*triple.r, ap, {triple.transposeR(), false}, *twice, topologyParams(perNode, ""));
        const auto text = triple.name() + name(shape) + ", nodes " + perNode;
        EXPECT_EQ(differenceToReference(*c, triple.expected()), "") << text;
        EXPECT_EQ(differenceToReference(*twice, triple.expected()), "") << text;
        EXPECT_LE(giBytes(comm, one), giBytes(comm, first) + giBytes(comm, second)) << text;
        expectLedgerAsPredicted(comm, one, text);
      }
    }
  }
}

// A row of C leaves a node once: larger nodes never move more.
TEST_F(TripleProduct, transposedProductsMoveLessWithLargerNodes) {
  for (const auto shape :
       {Shape::random, Shape::stencil, Shape::denseRow, Shape::denseColumn, Shape::farBand}) {
    Sample sample(comm, {true, false}, shape);
    const auto expected = sample.expected();
    long long alone = 0;
    for (const char* perNode : {"1", "2", "4", "3,5", "8"}) {
      const auto c = sample.newC();
      const auto report = reported(*sample.a, *sample.b, sample.op, *c, topologyParams(perNode, ""));
      const auto bytes = giBytes(comm, report);
      if (report.nodes == 8) alone = bytes;
      EXPECT_EQ(report.engine, "partial rows");
      EXPECT_LE(bytes, alone) << name(shape) << ", nodes " << perNode;
      if (report.nodes > 1) expectLedgerAsPredicted(comm, report, perNode);
      EXPECT_EQ(differenceToReference(*c, expected), "") << name(shape) << ", nodes " << perNode;
    }
  }
}

}  // namespace
}  // namespace Trident::Test
