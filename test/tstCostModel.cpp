// The cost model: what its terms depend on, and the choice by them.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "plan/Trident_CostModel.hpp"

namespace {

using Trident::CandidateCosts;
using Trident::Machine;
using Trident::NodeGrid;
using Trident::TileFilter;

CandidateCosts costs() {
  CandidateCosts c;
  c.grid = NodeGrid{2, 2};
  c.giBytesMost = 4e6;
  c.giBytesSum = 12e6;
  c.giMessagesMost = 30;
  c.liBytesMost = 8e6;
  c.liMessagesMost = 4;
  c.multiplicationsMost = 1e6;
  return c;
}

TEST(CostModel, IsTheSumOfItsTerms) {
  const Machine machine{1e-3, 1e6, 1e-4, 1e7, 1e8};
  EXPECT_NEAR(seconds(costs(), machine), 30e-3 + 4.0 + 4e-4 + 0.8 + 0.01, 1e-12);
}

TEST(CostModel, NothingToDoTakesNoTime) {
  for (const std::string& name : Machine::names())
    EXPECT_EQ(seconds(CandidateCosts{}, Machine::named(name)), 0) << name;
}

TEST(CostModel, EveryTermCostsAndNothingElseDoes) {
  const std::vector<double CandidateCosts::*> terms = {
      &CandidateCosts::giBytesMost, &CandidateCosts::giMessagesMost, &CandidateCosts::liBytesMost,
      &CandidateCosts::liMessagesMost, &CandidateCosts::multiplicationsMost};
  for (const std::string& name : Machine::names()) {
    const Machine machine = Machine::named(name);
    for (const auto term : terms) {
      CandidateCosts more = costs();
      more.*term *= 2;
      EXPECT_GT(seconds(more, machine), seconds(costs(), machine)) << name;
    }
    CandidateCosts same = costs();
    same.giBytesSum *= 2;
    same.memoryBytesMost = 1e12;
    same.filter = TileFilter::needed;
    same.fromOwners = true;
    EXPECT_EQ(seconds(same, machine), seconds(costs(), machine)) << name;
  }
}

TEST(CostModel, AFasterMachineTakesLess) {
  const Machine slow = Machine::named("1gbit");
  Machine fast = slow;
  fast.giBytesPerSecond *= 10;
  EXPECT_LT(seconds(costs(), fast), seconds(costs(), slow));
  EXPECT_LT(seconds(costs(), Machine::named("perlmutter-gpu")), seconds(costs(), slow));
}

TEST(CostModel, PresetsAreWhole) {
  ASSERT_FALSE(Machine::names().empty());
  for (const std::string& name : Machine::names()) {
    const Machine machine = Machine::named(name);
    EXPECT_GT(machine.giLatency, 0) << name;
    EXPECT_GT(machine.liLatency, 0) << name;
    EXPECT_GT(machine.multiplicationsPerSecond, 0) << name;
    EXPECT_GT(machine.giBytesPerSecond, 0) << name;
    EXPECT_GT(machine.liBytesPerSecond, machine.giBytesPerSecond) << name;
  }
}

TEST(CostModel, AnUnknownMachineIsRefusedByName) {
  try {
    Machine::named("abacus");
    FAIL() << "no exception";
  } catch (const std::invalid_argument& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("abacus"), std::string::npos) << text;
    for (const std::string& name : Machine::names()) EXPECT_NE(text.find(name), std::string::npos) << text;
  }
}

TEST(CostModel, TheCheapestIsTheFirstWithTheLeastTime) {
  const Machine machine = Machine::named("1gbit");
  CandidateCosts dear = costs();
  dear.giBytesMost *= 3;
  EXPECT_EQ(cheapest({costs()}, machine), 0U);
  EXPECT_EQ(cheapest({dear, costs(), dear, costs()}, machine), 1U);
}

// Latency rules small products and bandwidth large ones: the choice depends on the machine.
TEST(CostModel, TheMachineDecides) {
  CandidateCosts fewMessages = costs();
  fewMessages.giMessagesMost = 1;
  fewMessages.giBytesMost = 2e6;
  CandidateCosts fewBytes = costs();
  fewBytes.giMessagesMost = 1000;
  fewBytes.giBytesMost = 1e6;
  Machine machine = Machine::named("1gbit");
  machine.giLatency = 1e-6;
  EXPECT_EQ(cheapest({fewMessages, fewBytes}, machine), 1U);
  machine.giLatency = 1e-4;
  EXPECT_EQ(cheapest({fewMessages, fewBytes}, machine), 0U);
}

}  // namespace
