// Trident::TripleMatrixMultiply::MultiplyRAP into an Ac that has a graph: values only where the patterns are
// the same, and right in any case. Stock Tpetra crashes where P has an importer. Eight ranks.

#include <gtest/gtest.h>

#include "TestTriple.hpp"

namespace Trident::Test {
namespace {

class TripleReuse : public EightRanks {};

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

TEST_F(TripleReuse, againWithOtherValues) {
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
TEST_F(TripleReuse, againOnSeveralColumns) {
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

TEST_F(TripleReuse, anotherPatternIsAnotherProduct) {
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
    }
  }
}

// Other matrices on the same maps, with fewer entries, in place of each of the three.
TEST_F(TripleReuse, thinnerFactorsAreOtherProducts) {
  for (const auto left : {Left::implicitP, Left::otherTransposed, Left::explicitR}) {
    for (const auto& topology : {oneColumn()[1], oneColumn()[4], severalColumns()[0]}) {
      const auto params = topologyParams(topology.first, topology.second);
      Triple triple(comm, {left});
      const auto c = triple.newC();
      triple.reported(*c, params);
      const auto graph = triple.expected().product;
      for (auto* factor : {&triple.r, &triple.a, &triple.p}) {
        const auto full = *factor;
        auto pattern = gathered(*full);
        for (auto& [i, row] : pattern.row)
          if (row.size() > 1) row.erase(row.begin());
        const auto thin = matrixOf(pattern, {full->getRowMap(), full->getDomainMap(), full->getRangeMap()});
        for (const auto& matrix : {thin, full}) {
          *factor = matrix;
          if (left == Left::implicitP && factor != &triple.a) triple.r = triple.p = matrix;
          EXPECT_FALSE(triple.reported(*c, params).valuesOnly) << triple.name() << where(topology);
          EXPECT_EQ(differenceToReference(*c, within(triple.expected(), graph)), "")
              << triple.name() << where(topology);
        }
      }
    }
  }
}

TEST_F(TripleReuse, graphOfTheUser) {
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

}  // namespace
}  // namespace Trident::Test
