// Where a product that is kept with C must not be used, or fails, or ends. Eight ranks.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "TestReuse.hpp"

namespace Trident::Test {
namespace {

TEST_F(ReuseEnds, aSubpatternIsAnotherProduct) {
  for (const int rank : {-1, 5}) {
    const auto thin = thinnedA(rank);
    EXPECT_FALSE(multiplyInto(*thin, "2x2")) << "rank " << rank;
    expectProductOf(*thin);
    EXPECT_TRUE(multiplyInto(*thin, "2x2"));
    expectProductOf(*thin);
    EXPECT_FALSE(multiplyInto(*sample->a, "2x2"));
    expectReused();
  }
}

TEST_F(ReuseEnds, newEntriesAreRefused) {
  const Matrix before(*c, Teuchos::Copy);
  const auto full = buildMatrix(comm, Shape::dense, sample->rows, sample->inner, 3);
  EXPECT_EQ(errorEverywhere(
                comm, [&] { multiplyInto(*full, "2x2"); }, "Trying to insert a new entry"),
            "runtime_error");
  EXPECT_TRUE(sameBits(before, *c));
  expectReused();
}

TEST_F(ReuseEnds, zerosOfAComeAndGo) {
  const auto values = sample->a->getLocalMatrixHost().values;
  const bool here = comm->getRank() == 4 && values.extent(0) > 0;
  ASSERT_TRUE(onAnyRank(comm, here));
  const Scalar old = here ? values(0) : 0;
  if (here) values(0) = -0.0;
  EXPECT_FALSE(multiplyInto(*sample->a, "2x2"));
  expectProductOf(*sample->a);
  expectReused();
  if (here) values(0) = old;
  EXPECT_FALSE(multiplyInto(*sample->a, "2x2"));
  expectProductOf(*sample->a);
  if (here) std::swap(values(0), values(values.extent(0) - 1));
  expectReused();
}

TEST_F(ReuseEnds, aZeroThatMakesNewEntriesIsRefused) {
  const auto a = buildMatrix(comm, Shape::explicitZeros, sample->rows, sample->inner, 1);
  c = sample->newC();
  EXPECT_FALSE(multiplyInto(*a, "2x2"));
  EXPECT_TRUE(multiplyInto(*a, "2x2"));
  const Matrix before(*c, Teuchos::Copy);
  revalue(*a, 9);
  EXPECT_EQ(errorEverywhere(
                comm, [&] { multiplyInto(*a, "2x2"); }, "Trying to insert a new entry"),
            "runtime_error");
  EXPECT_TRUE(sameBits(before, *c));
}

TEST_F(ReuseEnds, otherParametersAreAnotherProduct) {
  EXPECT_FALSE(multiplyInto(*sample->a, "4x1"));
  expectProductOf(*sample->a);
  expectReused("4x1");
  EXPECT_FALSE(multiplyInto(*sample->a, "2x2"));
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_FALSE(multiplyInto(*sample->a, "2x2", false));
    expectProductOf(*sample->a);
  }
  c = sample->newC();
  for (int turn = 0; turn < 3; ++turn) EXPECT_FALSE(multiplyInto(*sample->a, "2x2", false));
  EXPECT_FALSE(detail::keptWith<Types>(*c)) << "kept though not asked for";
}

TEST_F(ReuseEnds, aGraphFromElsewhereKeepsNothingYet) {
  c = matrixOf(graph, sample->maps);
  EXPECT_FALSE(multiplyInto(*sample->a, "2x2"));
  EXPECT_TRUE(multiplyInto(*sample->a, "2x2"));
  EXPECT_EQ(differenceToReference(*c, sample->expected()), "");
  c = Teuchos::rcp(new Matrix(*c, Teuchos::Copy));
  multiplyInto(*sample->a, "2x2");
  EXPECT_EQ(differenceToReference(*c, sample->expected()), "");
}

// Another range map of A is C's too.
TEST_F(ReuseEnds, anotherRangeMapIsTaken) {
  const auto range = Axis{60, Spread::cyclic, 5, 3}.map(comm);
  const auto a = buildMatrix(comm, Shape::random, sample->rows, sample->inner, 1, Columns::fitted, range);
  multiplyInto(*a, "2x2");
  sample->maps.range = range;
  expectProductOf(*a);
}

// C keeps room between its rows if it is told so.
TEST_F(ReuseEnds, storageThatIsNotOptimized) {
  const auto packed = matrixOf(graph, sample->maps);
  c = Teuchos::rcp(new Matrix(sample->maps.row, packed->getColMap(), 80));
  const auto local = packed->getLocalMatrixHost();
  for (LO l = 0; l < static_cast<LO>(local.numRows()); ++l) {
    const auto first = local.graph.row_map(l);
    c->insertLocalValues(l, static_cast<LO>(local.graph.row_map(l + 1) - first), local.values.data() + first,
                         local.graph.entries.data() + first);
  }
  const auto roomy = Teuchos::parameterList();
  roomy->set("Optimize Storage", false);
  c->fillComplete(sample->maps.domain, sample->maps.range, roomy);
  for (int turn = 0; turn < 3; ++turn) {
    revalue(*sample->a, 30 + turn);
    EXPECT_EQ(multiplyInto(*sample->a, "2x2"), turn > 0);
    EXPECT_EQ(differenceToReference(*c, sample->expected()), "");
    EXPECT_EQ(wrongApply(*c, sample->expected()), "");
  }
}

// Whoever renumbers C's columns must not get the values in the old places.
TEST_F(ReuseEnds, renumberedColumnsOfC) {
  for (const char* grid : gridsOfFourNodes) {
    c = sample->newC();
    multiplyInto(*sample->a, grid);
    const auto old = c->getColMap();
    std::vector<GO> columns;
    for (LO l = old->getMaxLocalIndex(); l >= 0; --l) columns.push_back(old->getGlobalElement(l));
    const auto reversed = Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                               Teuchos::ArrayView<const GO>(columns.data(), columns.size()),
                                               old->getIndexBase(), comm));
    c->resumeFill();
    c->reindexColumns(nullptr, reversed);
    c->fillComplete(sample->maps.domain, sample->maps.range);
    for (int turn = 0; turn < 3; ++turn) {
      revalue(*sample->a, 40 + turn);
      multiplyInto(*sample->a, grid);
      EXPECT_EQ(differenceToReference(*c, sample->expected()), "") << grid << ", turn " << turn;
      EXPECT_EQ(wrongApply(*c, sample->expected()), "");
    }
  }
}

TEST_F(ReuseEnds, aFailureLeavesCAlone) {
  for (const char* grid : gridsOfFourNodes) {
    for (const bool ofTheUser : {false, true}) {
      c = ofTheUser ? matrixOf(graph, sample->maps) : sample->newC();
      multiplyInto(*sample->a, grid);
      for (const int rank : {0, 3, 7}) {
        const Matrix before(*c, Teuchos::Copy);
        const auto kept = detail::keptWith<Types>(*c);
        const auto failing = topologyParams("2", grid);
        failing->set("trident: report", Teuchos::rcp(new ProductReport));
        failing->set("trident: inject failure on rank", rank);
        revalue(*sample->a, 60 + rank);
        EXPECT_EQ(errorEverywhere(
                      comm, [&] { multiply(*sample->a, *sample->b, {}, *c, failing); },
                      "rank " + std::to_string(rank)),
                  "runtime_error");
        EXPECT_TRUE(sameBits(before, *c)) << "C was changed, grid " << grid;
        EXPECT_TRUE(c->isFillComplete());
        EXPECT_EQ(kept->common->computation->failure().empty(), comm->getRank() != rank)
            << "it was not the kept product that failed, grid " << grid;
        revalue(*sample->a, 501);
        EXPECT_TRUE(multiplyInto(*sample->a, grid)) << grid;
        EXPECT_EQ(differenceToReference(*c, sample->expected()), "") << grid;
      }
    }
  }
}

TEST_F(ReuseEnds, globalConstantsAndNorm) {
  const auto entries = sample->expected().product.entries();
  size_t longest = 0;
  for (const auto& [i, row] : graph.row) longest = std::max(longest, row.size());
  for (int turn = 0; turn < 4; ++turn) {
    c->getFrobeniusNorm();  // Tpetra keeps it until the values change
    if (turn % 2 == 1) c->resumeFill();
    expectReused();
    EXPECT_EQ(static_cast<std::int64_t>(c->getGlobalNumEntries()), entries);
    EXPECT_EQ(c->getGlobalMaxNumRowEntries(), longest);
    double sum = 0;
    for (const auto& [i, row] : sample->expected().product.row) {
      for (const auto& [j, value] : row) sum += value * value;
    }
    EXPECT_NEAR(c->getFrobeniusNorm(), std::sqrt(sum), 1e-12 * std::sqrt(sum));
  }
  const auto params = topologyParams("2", "2x2");
  params->set("compute global constants", false);
  const auto d = sample->newC();
  for (int turn = 0; turn < 3; ++turn) {
    revalue(*sample->a, 80 + turn);
    EXPECT_EQ(reported(*sample->a, *sample->b, {}, *d, params).valuesOnly, turn > 0);
    EXPECT_EQ(differenceToReference(*d, sample->expected()), "");
    EXPECT_EQ(brokenPromises(*d, sample->maps, {false, true}), "") << "turn " << turn;
  }
}

// A sum into C is another product, and changes nothing of what is kept.
TEST_F(ReuseEnds, sumsInBetween) {
  c->resumeFill();
  c->setAllToScalar(7);
  multiply(*sample->a, *sample->b, {}, *c, topologyParams("2", "2x2"), false);
  EXPECT_FALSE(c->isFillComplete());
  auto sums = sample->expected();
  for (auto& [i, row] : sums.product.row) {
    for (auto& [j, value] : row) {
      value += 7;
      sums.bound.row[i][j] += 7;
    }
  }
  EXPECT_EQ(differenceToReference(*c, sums), "");
  expectReused();  // C's fill is still active
  expectReused();
}

TEST_F(ReuseEnds, disjointCommunicatorsAtOnce) {
  const bool left = comm->getRank() < 3;
  const Comm part = comm->split(comm->getRank() == 7 ? 2 : left ? 0 : 1, comm->getRank());
  Sample mine(part, left ? Op{} : Op{true, false});
  const auto own = mine.newC();
  for (int turn = 0; turn < (left ? 9 : 5); ++turn) {  // out of step on purpose
    revalue(*mine.a, 10 + turn);
    const auto params = topologyParams("1", part->getSize() == 1 ? "1x1" : left ? "3x1" : "1x4");
    EXPECT_EQ(reported(*mine.a, *mine.b, mine.op, *own, params).valuesOnly, turn > 0);
    EXPECT_EQ(differenceToReference(*own, mine.expected()), "");
    EXPECT_EQ(brokenPromises(*own, mine.maps), "");
  }
}

TEST_F(ReuseEnds, copiesThatShareTheGraph) {
  Matrix other(c->getCrsGraph());
  Matrix third(c->getCrsGraph());
  other.resumeFill();
  const Matrix before(*c, Teuchos::Copy);
  for (unsigned turn = 0; turn < 3; ++turn) {
    revalue(*sample->a, 90 + turn);
    EXPECT_TRUE(
        reported(*sample->a, *sample->b, {}, turn % 2 == 0 ? other : third, topologyParams("2", "2x2"))
            .valuesOnly);
    EXPECT_EQ(differenceToReference(turn % 2 == 0 ? other : third, sample->expected()), "");
  }
  EXPECT_TRUE(sameBits(before, *c));
  EXPECT_EQ(brokenPromises(other, sample->maps), "");
  const std::weak_ptr<detail::KeptProduct<Types>> kept = detail::keptWith<Types>(*c);
  c = Teuchos::null;
  EXPECT_FALSE(kept.expired());
  EXPECT_TRUE(reported(*sample->a, *sample->b, {}, other, topologyParams("2", "2x2")).valuesOnly);
}

// Communicators of the operands come and go; C, and what it keeps, stays.
TEST_F(ReuseEnds, communicatorsOfTheOperandsGo) {
  c = sample->newC();
  for (int turn = 0; turn < 6; ++turn) {
    const Comm own = comm->duplicate();
    Sample mine(own);
    revalue(*mine.a, 20 + turn);
    const auto params = topologyParams("2", "2x2");
    EXPECT_EQ(reported(*mine.a, *mine.b, {}, *c, params).valuesOnly, turn > 0);
    EXPECT_EQ(differenceToReference(*c, mine.expected()), "");
    EXPECT_EQ(wrongApply(*c, mine.expected()), "");
  }
}

long long residentBytes() {
  long long pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * 4096;
}

TEST_F(ReuseEnds, whatIsKeptGoesWithTheGraph) {
  const Axis axis{600, Spread::uniform};
  const auto a = buildMatrix(comm, Shape::random, axis, axis, 1);
  std::weak_ptr<detail::KeptProduct<Types>> last;
  const auto products = [&](int count) {
    for (int n = 0; n < count; ++n) {
      EXPECT_TRUE(last.expired());
      Matrix fresh(a->getRowMap(), 0);
      multiply(*a, *a, {}, fresh, topologyParams("2", n % 2 == 0 ? "2x2" : "4x1"));
      last = detail::keptWith<Types>(fresh);
      EXPECT_FALSE(last.expired());
      if (n % 10 == 0) multiply(*a, *a, {}, fresh, topologyParams("2", "1x4"));  // in its place
    }
  };
  products(50);
  const auto before = residentBytes();
  products(200);
#ifdef __SANITIZE_ADDRESS__
  static_cast<void>(before);  // the sanitizer keeps what is freed
#else
  EXPECT_LT(residentBytes() - before, 4 << 20);
#endif
}

}  // namespace
}  // namespace Trident::Test
