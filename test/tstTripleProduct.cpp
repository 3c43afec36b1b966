// Trident::TripleMatrixMultiply::MultiplyRAP: against the serial R (A P), again with other values, and what
// it moves. Eight ranks.

#include <gtest/gtest.h>

#include "TestTriple.hpp"

namespace Trident::Test {
namespace {

class TripleProduct : public EightRanks {};

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
    for (size_t spread = 0; spread < std::size(tripleSpreads); ++spread) {
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
TEST_F(TripleProduct, storedZeros) {
  for (const auto left : allLefts) {
    const Triple triple(comm, {left, {}, Shape::explicitZeros, Shape::explicitZeros, Shape::explicitZeros});
    const auto expected = triple.expected();
    for (const auto& topology : allTopologies()) {
      const auto params = topologyParams(topology.first, topology.second);
      expectProduct(triple, expected, params, triple.name() + where(topology));
    }
  }
}

// Ac's range map is R's, whatever A's and P's are.
TEST_F(TripleProduct, otherRangeMaps) {
  const TripleAxes axes;
  const auto ranged = [&](const Axis& rows, const Axis& columns, unsigned seed) {
    const auto range = Axis{rows.size, Spread::roundAbout, 5, 3}.map(comm);
    return buildMatrix(comm, Shape::random, rows, columns, seed, Columns::fitted, range);
  };
  for (const auto left : {Left::implicitP, Left::otherTransposed, Left::explicitR}) {
    Triple triple(comm, {left});
    triple.a = ranged(axes.fine, left == Left::implicitP ? axes.fine : axes.inner, 4);
    if (left == Left::explicitR) {
      triple.r = ranged(axes.coarse, axes.fine, 5);
      triple.p = ranged(axes.inner, axes.columns, 6);
      triple.maps.range = triple.r->getRangeMap();
    }
    const auto expected = triple.expected();
    for (const auto& topology : allTopologies()) {
      const auto params = topologyParams(topology.first, topology.second);
      expectProduct(triple, expected, params, triple.name() + where(topology));
    }
  }
}

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
        EXPECT_EQ(one.engine == "partial rows", left == Left::implicitP || left == Left::otherTransposed);
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
