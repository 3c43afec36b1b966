// A new C of patterns that the communicator knows needs values only: every product, every kind of factors.
// What is kept is bounded, ends with the communicator, and is never used where anything differs on any rank.

#include <gtest/gtest.h>

#include "TestCalls.hpp"

namespace Trident::Test {
namespace {

class PatternCache : public EveryCall {
 protected:
  static Params remembering(const std::string& nodes, const std::string& grid = "") {
    const auto params = topologyParams(nodes, grid);
    params->set("trident: pattern memory", std::string("64M"));
    return params;
  }

  static std::vector<Call> plainCalls(const Comm& comm) {
    return calls(comm, [](Teuchos::RCP<Matrix> x) { return x; });
  }

  // A product of a new C; whether only values travelled.
  static bool multiplyNew(const Call& call, const Params& params, Teuchos::RCP<Matrix>& c) {
    const auto report = Teuchos::rcp(new ProductReport);
    params->set("trident: report", report);
    c = Teuchos::rcp(new Matrix(call.maps.row, 0));
    call.multiply(*c, params);
    return report->valuesOnly;
  }

  static void expectRight(const Call& call, const Matrix& c) {
    EXPECT_EQ(differenceToReference(c, call.expected()), "") << call.name;
    EXPECT_EQ(brokenPromises(c, call.maps), "") << call.name;
  }
};

TEST_F(PatternCache, newMatricesOfKnownPatternsNeedValuesOnly) {
  const Comm own = comm->duplicate();
  for (const char* nodes : {"2", "3,5", "1", "8"}) {
    unsigned seed = 1;
    for (const Call& call : plainCalls(own)) {
      Teuchos::RCP<Matrix> first, second;
      EXPECT_FALSE(multiplyNew(call, remembering(nodes), first)) << call.name << ", nodes of " << nodes;
      expectRight(call, *first);
      for (int turn = 0; turn < 2; ++turn) {
        call.revalue(seed += 2);
        EXPECT_TRUE(multiplyNew(call, remembering(nodes), second)) << call.name << ", nodes of " << nodes;
        expectRight(call, *second);
        first = Teuchos::null;  // what is kept does not hang on the first C
      }
      EXPECT_EQ(second->getDomainMap().get(), call.maps.domain.get()) << "the caller's map, not a kept one";
    }
  }
}

TEST_F(PatternCache, matricesShareNothingThatAnybodyCouldWriteInto) {
  const Comm own = comm->duplicate();
  for (const Call& call : plainCalls(own)) {
    Teuchos::RCP<Matrix> first, second, third;
    multiplyNew(call, remembering("2"), first);
    ASSERT_TRUE(multiplyNew(call, remembering("2"), second));
    const auto written = first->getLocalMatrixHost().graph.entries;
    const bool any = written.extent(0) > 0 && comm->getRank() == 3;
    if (any) const_cast<LO&>(written(0)) = 0, const_cast<LO&>(written(written.extent(0) - 1)) = 0;
    expectRight(call, *second);
    EXPECT_EQ(multiplyNew(call, remembering("2"), third), !onAnyRank(comm, any)) << call.name;
    expectRight(call, *third);
  }
}

TEST_F(PatternCache, patternsThatDifferOnOneRankAreOtherProducts) {
  const Comm own = comm->duplicate();
  const Axis rows{60, Spread::uneven}, inner{50, Spread::uneven}, columns{40, Spread::uneven};
  const auto b = buildMatrix(own, Shape::random, inner, columns, 2);
  const auto random = buildMatrix(own, Shape::random, rows, inner, 1);
  const auto pattern = gathered(*random);
  const auto a = matrixOf(pattern, {random->getRowMap(), random->getDomainMap(), random->getRangeMap()});
  const auto call = callOf(a, b, {});
  Teuchos::RCP<Matrix> c;
  EXPECT_FALSE(multiplyNew(call, remembering("2"), c));
  for (const int rank : {0, 4, 7}) {
    auto thin = pattern;
    for (auto& [i, row] : thin.row)
      if (row.size() > 1 && a->getRowMap()->isNodeGlobalElement(static_cast<GO>(i)) && own->getRank() == rank)
        row.erase(row.begin());
    const auto other = matrixOf(thin, {a->getRowMap(), a->getDomainMap(), a->getRangeMap()});
    revalue(*other, 5);
    const auto thinned = callOf(other, b, {});
    const bool changed = gathered(*other).entries() < pattern.entries();
    EXPECT_EQ(multiplyNew(thinned, remembering("2"), c), !changed) << "rank " << rank;
    expectRight(thinned, *c);
    EXPECT_TRUE(multiplyNew(call, remembering("2"), c));
    expectRight(call, *c);
  }
}

TEST_F(PatternCache, holdsNoMoreThanItMay) {
  const Comm own = comm->duplicate();
  const auto all = plainCalls(own);
  Teuchos::RCP<Matrix> c;
  const auto nothing = remembering("2");
  nothing->set("trident: pattern memory", std::string("0"));
  EXPECT_FALSE(multiplyNew(all[0], nothing, c));
  EXPECT_FALSE(multiplyNew(all[0], nothing, c)) << "nothing may be kept";
  const auto little = remembering("2");
  little->set("trident: pattern memory", std::string("12k"));
  for (int round = 0; round < 2; ++round)
    for (const Call& call : all) multiplyNew(call, little, c);
  int known = 0;
  for (auto call = all.rbegin(); call != all.rend(); ++call) known += multiplyNew(*call, little, c) ? 1 : 0;
  EXPECT_GT(known, 0) << "some fit";
  EXPECT_LT(known, static_cast<int>(all.size())) << "not all fit";
}

TEST_F(PatternCache, endsWithTheCommunicator) {
  using Kept = detail::KeptComputation<Types>;
  std::vector<std::weak_ptr<Kept>> kept;
  for (int turn = 0; turn < 30; ++turn) {
    const Comm own = comm->duplicate();
    Teuchos::RCP<Matrix> c;
    const Sample sample(own);
    const auto call = callOf(sample.a, sample.b, {});
    multiplyNew(call, remembering("2"), c);
    EXPECT_TRUE(multiplyNew(call, remembering("2"), c));
    kept.push_back(detail::keptWith<Types>(*c)->common);
  }
  for (const auto& one : kept) EXPECT_TRUE(one.expired());
}

TEST_F(PatternCache, aFailureLeavesTheNewMatrixNew) {
  const Comm own = comm->duplicate();
  for (const Call& call : plainCalls(own)) {
    Teuchos::RCP<Matrix> c;
    multiplyNew(call, remembering("2"), c);
    call.revalue(40);
    const auto failing = remembering("2");
    failing->set("trident: inject failure on rank", 5);
    EXPECT_EQ(errorEverywhere(
                  comm, [&] { multiplyNew(call, failing, c); }, "rank 5"),
              "runtime_error");
    EXPECT_FALSE(c->isLocallyIndexed()) << call.name;
    EXPECT_TRUE(multiplyNew(call, remembering("2"), c)) << call.name;
    expectRight(call, *c);
  }
}

}  // namespace
}  // namespace Trident::Test
