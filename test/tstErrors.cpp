// Bad input and failures on one rank: the same exception with the same text on every rank, C as it was, and a
// correct product right afterwards on the same communicator. Eight ranks.

#include <gtest/gtest.h>

#include <Teuchos_DefaultMpiComm.hpp>
#include <memory>
#include <stdexcept>
#include <typeinfo>

#include "TestModes.hpp"

namespace Trident::Test {
namespace {

/// What a call threw here: type and text, or "nothing".
template <class Call>
std::string thrownBy(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    const bool argument = dynamic_cast<const std::invalid_argument*>(&error) != nullptr;
    const bool runtime = dynamic_cast<const std::runtime_error*>(&error) != nullptr;
    const std::string type = argument ? "invalid_argument" : runtime ? "runtime_error" : typeid(error).name();
    return type + ": " + error.what();
  }
  return "nothing";
}

class Errors : public EightRanks {
 protected:
  void SetUp() override {
    EightRanks::SetUp();
    sample = std::make_unique<Sample>(comm);
    params = topologyParams("2", "2x2");
  }

  /// Every rank must get `type`, with one text that holds all of `parts`.
  template <class Call>
  void expectSameErrorEverywhere(const Call& call, const std::string& type,
                                 const std::vector<std::string>& parts) {
    const auto texts = textsOfAllRanks(mpiComm(comm), thrownBy(call));
    for (size_t r = 0; r < texts.size(); ++r) {
      EXPECT_EQ(texts[r], texts[0]) << "ranks " << r << " and 0 differ";
    }
    EXPECT_EQ(texts[0].substr(0, type.size() + 2), type + ": ") << texts[0];
    for (const auto& part : parts) {
      EXPECT_NE(texts[0].find(part), std::string::npos) << '"' << part << "\" is not in: " << texts[0];
    }
    if (comm->getRank() == 0) RecordProperty("text", texts[0]);
  }

  /// A product with the same operands, which must be right.
  void expectGoodProduct(const Teuchos::RCP<Matrix>& c) {
    multiply(*sample->a, *sample->b, sample->op, *c, topologyParams("2", "2x2"));
    EXPECT_EQ(differenceToReference(*c, sample->expected()), "");
    EXPECT_EQ(brokenPromises(*c, sample->maps), "");
  }

  /// A new C that a failed product has touched must be as new, and good for a product.
  void expectNewAndGood(const Teuchos::RCP<Matrix>& c) {
    EXPECT_FALSE(c->getGraph()->isLocallyIndexed() || c->getGraph()->isGloballyIndexed());
    EXPECT_TRUE(c->isFillActive());
    expectGoodProduct(c);
  }

  std::unique_ptr<Sample> sample;
  Params params;
};

TEST_F(Errors, AIsNotFillComplete) {
  Matrix a(sample->rows.map(comm), 3);
  const auto c = sample->newC();
  expectSameErrorEverywhere([&] { multiply(a, *sample->b, {}, *c, params); }, "runtime_error",
                            {"A is not fill complete"});
  expectNewAndGood(c);
}

TEST_F(Errors, BIsNotFillComplete) {
  const auto c = sample->newC();
  sample->b->resumeFill();
  expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, params); }, "runtime_error",
                            {"B is not fill complete"});
  sample->b->fillComplete(sample->b->getDomainMap(), sample->b->getRangeMap());
  expectNewAndGood(c);
}

TEST_F(Errors, InnerDimensionsDiffer) {
  const Axis other{49, Spread::uniform, 5, 3};
  const auto b = buildMatrix(comm, Shape::random, other, sample->columns, 2);
  const auto c = sample->newC();
  expectSameErrorEverywhere([&] { multiply(*sample->a, *b, {}, *c, params); }, "runtime_error",
                            {"60x50", "49x70"});
  expectNewAndGood(c);
  const auto d = sample->newC();
  expectSameErrorEverywhere(
      [&] {
        multiply(*sample->a, *sample->b, {false, true}, *d, params);
      },
      "runtime_error", {"60x50", "70x50"});
  expectNewAndGood(d);
}

// Stock Tpetra gives wrong rows here and says nothing.
TEST_F(Errors, RowsOfCLieElsewhere) {
  const Axis elsewhere{60, Spread::cyclic, 5, 3};
  const auto c = Teuchos::rcp(new Matrix(elsewhere.map(comm), 0));
  expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, params); }, "runtime_error",
                            {"60"});
  EXPECT_FALSE(c->getGraph()->isLocallyIndexed() || c->getGraph()->isGloballyIndexed());
  expectGoodProduct(sample->newC());
}

TEST_F(Errors, RowsOfCAreNamedOtherwise) {
  Axis renamed = sample->rows;
  renamed.stride = 4;
  const auto c = Teuchos::rcp(new Matrix(renamed.map(comm), 0));
  expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, params); }, "runtime_error",
                            {"60"});
  expectGoodProduct(sample->newC());
}

TEST_F(Errors, CHasTooFewRows) {
  const Axis fewer{58, Spread::uniform, 5, 3};
  const auto c = Teuchos::rcp(new Matrix(fewer.map(comm), 0));
  expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, params); }, "runtime_error",
                            {"60", "58"});
  expectGoodProduct(sample->newC());
}

TEST_F(Errors, BOnOneRankEach) {
  const Comm self = comm->split(comm->getRank(), 0);
  const auto b = buildMatrix(self, Shape::random, sample->inner, sample->columns, 2);
  const auto c = sample->newC();
  expectSameErrorEverywhere([&] { multiply(*sample->a, *b, {}, *c, params); }, "runtime_error",
                            {"communicator", "8", "1"});
  expectNewAndGood(c);
}

TEST_F(Errors, BOnTheSameRanksInAnotherOrder) {
  const Comm reversed = comm->split(0, 8 - comm->getRank());
  ASSERT_EQ(reversed->getRank(), 7 - comm->getRank());
  const auto b = buildMatrix(reversed, Shape::random, sample->inner, sample->columns, 2);
  const auto c = sample->newC();
  expectSameErrorEverywhere([&] { multiply(*sample->a, *b, {}, *c, params); }, "runtime_error",
                            {"communicator"});
  expectNewAndGood(c);
}

TEST_F(Errors, COnAnotherCommunicator) {
  const Comm reversed = comm->split(0, 8 - comm->getRank());
  const auto c = Teuchos::rcp(new Matrix(sample->rows.map(reversed), 0));
  expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, params); }, "runtime_error",
                            {"communicator"});
  expectGoodProduct(sample->newC());
}

// To Tpetra, and to its users, a duplicate is the same communicator.
TEST_F(Errors, CongruentCommunicatorsAreNoError) {
  const Comm twin = comm->duplicate();
  sample->b = buildMatrix(twin, Shape::random, sample->inner, sample->columns, 2);
  sample->maps = productMaps(*sample->a, *sample->b, {});
  expectGoodProduct(sample->newC());
}

/// C with the product's graph, but for one entry of the last rank that has any.
Teuchos::RCP<Matrix> lackingOneEntry(const Sample& sample, std::string& where) {
  auto pattern = sample.expected().product;
  auto& row = pattern.row.at(5 + 3 * 31);
  const auto column = std::next(row.begin(), static_cast<long>(row.size()) / 2)->first;
  row.erase(column);
  where = std::to_string(5 + 3 * 31) + ',' + std::to_string(column);
  return matrixOf(pattern, sample.maps);
}

TEST_F(Errors, GraphLacksAnEntryOnOneRank) {
  for (const auto& grid : {"2x2", "4x1", "1x4"}) {
    std::string where;
    const auto c = lackingOneEntry(*sample, where);
    Matrix before(*c, Teuchos::Copy);
    expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, topologyParams("2", grid)); },
                              "runtime_error", {where});
    EXPECT_TRUE(sameBits(before, *c)) << "C was changed";
    EXPECT_TRUE(c->isFillComplete());
    expectGoodProduct(sample->newC());
  }
}

TEST_F(Errors, GraphLacksAllEntries) {
  const auto c = matrixOf(ReferenceMatrix{}, sample->maps);
  expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, params); }, "runtime_error", {});
  EXPECT_TRUE(c->isFillComplete());
  expectGoodProduct(sample->newC());
}

TEST_F(Errors, LocalProductFailsOnOneRank) {
  for (const int rank : {0, 3, 7}) {
    for (const char* local : {"host", "kokkoskernels"}) {
      const auto failing = topologyParams(rank == 3 ? "3,5" : "2", rank == 3 ? "2x1" : "2x2");
      failing->set("trident: inject failure on rank", rank);
      failing->set("trident: local product", std::string(local));
      failing->set("trident: gather", std::string(rank == 7 ? "allgatherv" : "shared window"));
      const auto c = sample->newC();
      expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, failing); }, "runtime_error",
                                {"rank " + std::to_string(rank)});
      expectNewAndGood(c);
    }
  }
}

TEST_F(Errors, FailedProductLeavesAFilledCAlone) {
  const auto c = sample->newC();
  expectGoodProduct(c);
  Matrix before(*c, Teuchos::Copy);
  revalue(*sample->a, 77);
  params->set("trident: inject failure on rank", 2);
  expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, params); }, "runtime_error", {});
  EXPECT_TRUE(sameBits(before, *c)) << "C was changed";
  EXPECT_TRUE(c->isFillComplete());
  expectGoodProduct(c);
}

TEST_F(Errors, UnknownNameOfOurs) {
  params->set("trident: gird", std::string("2x2"));
  const auto c = sample->newC();
  expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, params); }, "invalid_argument",
                            {"trident: gird", "trident: grid", "trident: ranks per node", "trident: gather"});
  expectNewAndGood(c);
  params = topologyParams("2", "2x2");
  params->sublist("matrixmatrix: kernel params").set("trident: rouns ahead", 1);
  expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, params); }, "invalid_argument",
                            {"trident: rouns ahead", "trident: rounds ahead"});
}

TEST_F(Errors, ValuesThatAreNotAllowed) {
  const std::pair<const char*, const char*> texts[] = {
      {"trident: grid", "3x3"},           {"trident: grid", "2x"},
      {"trident: grid", "0x4"},           {"trident: ranks per node", "0"},
      {"trident: ranks per node", "2,x"}, {"trident: ranks per node", "-1"},
      {"trident: gather", "magic"},       {"trident: local product", "gpu?"}};
  const auto c = sample->newC();
  for (const auto& [key, value] : texts) {
    auto bad = topologyParams("2", "2x2");
    bad->set(key, std::string(value));
    expectSameErrorEverywhere([&, b = bad] { multiply(*sample->a, *sample->b, {}, *c, b); },
                              "invalid_argument", {value});
  }
  for (const char* key :
       {"trident: rounds ahead", "trident: rounds per batch", "trident: max message bytes"}) {
    auto bad = topologyParams("2", "2x2");
    bad->set(key, -3);
    expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, bad); }, "invalid_argument",
                              {key, "-3"});
    bad->set(key, std::string("many"));
    expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, bad); }, "invalid_argument",
                              {key});
  }
  expectNewAndGood(c);
}

TEST_F(Errors, PartsOfAPlanThatAreNotAllowed) {
  const auto c = sample->newC();
  const char* const panels = "0 to 100";
  const std::vector<std::vector<std::string>> plans{
      {"panels=-1", "\"-1\"", panels},   {"panels=99999999999", "\"99999999999\"", panels},
      {"panels=x", "\"x\"", panels},     {"panels=", "\"\"", panels},
      {"panels=101", "101", panels},     {"filter=1", "\"1\"", "needed"},
      {"engine=3", "\"3\"", "requests"}, {"grid=4", "\"4\""},
      {"speed=4", "panels=..."},         {"tpetra=", "parts separated"}};
  for (const auto& plan : plans) {
    auto bad = topologyParams("2", "");
    bad->remove("trident: grid", false);
    bad->set("trident: plan", plan[0]);
    expectSameErrorEverywhere([&, b = bad] { multiply(*sample->a, *sample->b, {}, *c, b); },
                              "invalid_argument", {plan.begin() + 1, plan.end()});
  }
  expectNewAndGood(c);
}

TEST_F(Errors, ABadListOnOneRankOnly) {
  if (comm->getRank() == 5) params->set("trident: gird", std::string("2x2"));
  const auto c = sample->newC();
  expectSameErrorEverywhere([&] { multiply(*sample->a, *sample->b, {}, *c, params); }, "invalid_argument",
                            {"trident: gird"});
  expectNewAndGood(c);
}

}  // namespace
}  // namespace Trident::Test
