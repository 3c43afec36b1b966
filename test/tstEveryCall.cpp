// Multiply, Jacobi and MultiplyRAP alike: failures of one rank, delays, refusals, other communicators,
// phases. Eight ranks.

#include <gtest/gtest.h>

#include "TestCalls.hpp"

namespace Trident::Test {
namespace {

// No list at all, and C in phases of columns.
TEST_F(EveryCall, noParametersAndPhases) {
  for (const auto& call : calls()) {
    const auto expected = call.expected();
    expectRight(call, expected, Teuchos::null, "no parameters");
    for (const auto& topology : fewTopologies) {
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
TEST_F(EveryCall, disjointCommunicatorsAtOnce) {
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

TEST_F(EveryCall, tripleProductsThatDoNotFit) {
  for (const auto& topology : fewTopologies) {
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

TEST_F(EveryCall, aFailureOfOneRankTheFirstTime) {
  int number = 0;
  for (const auto& call : calls()) {
    const auto expected = call.expected();
    for (const auto& topology : fewTopologies) {
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

TEST_F(EveryCall, aFailureOfOneRankTheNextTime) {
  int number = 0;
  for (const auto& call : calls()) {
    for (const auto& topology : fewTopologies) {
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
          EXPECT_EQ(kept->common->computation->failure().empty(), comm->getRank() != rank) << text;
        }
        call.multiply(*c, paramsOf(topology));
        EXPECT_EQ(differenceToReference(*c, call.expected()), "") << text;
        EXPECT_EQ(detail::keptWith<Types>(*c), kept) << text;
      }
    }
  }
}

TEST_F(EveryCall, sameBitsWhateverIsLate) {
  for (const auto& call : calls()) {
    for (const auto& topology : fewTopologies) {
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
