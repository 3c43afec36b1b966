// The ways to call Multiply other than "new C, filled", on eight ranks; same bits; ledger against prediction.

#include <gtest/gtest.h>

#include <Teuchos_DefaultMpiComm.hpp>
#include <iostream>

#include "TestModes.hpp"

namespace Trident::Test {
namespace {

class Modes : public EightRanks {};

const std::pair<const char*, const char*> topologies[] = {{"2", "2x2"}, {"3,5", "1x2"}, {"1,2", "3x2"}};

std::vector<Op> allOps() { return {{false, false}, {true, false}, {false, true}, {true, true}}; }

TEST_F(Modes, ReuseComputesValuesOnly) {
  for (const auto& [perNode, grid] : topologies) {
    for (const auto& op : allOps()) {
      Sample sample(comm, op);
      const auto c = sample.newC();
      const auto params = topologyParams(perNode, grid);
      multiply(*sample.a, *sample.b, op, *c, params);
      const auto* const graph = c->getCrsGraph().get();
      const auto importer = c->getGraph()->getImporter();
      for (unsigned turn = 0; turn < 10; ++turn) {
        revalue(*sample.a, 100 + turn);
        if (turn % 2 == 1) revalue(*sample.b, 200 + turn);
        if (turn % 3 == 0) c->resumeFill();
        multiply(*sample.a, *sample.b, op, *c, params);
        const auto where =
            name(op) + ", nodes " + perNode + ", grid " + grid + ", turn " + std::to_string(turn);
        EXPECT_EQ(differenceToReference(*c, sample.expected()), "") << where;
        EXPECT_EQ(brokenPromises(*c, sample.maps), "") << where;
      }
      EXPECT_EQ(graph, c->getCrsGraph().get());
      EXPECT_EQ(importer.get(), c->getGraph()->getImporter().get());
    }
  }
}

TEST_F(Modes, ReuseOfSupersetInAnotherOrder) {
  for (const auto& op : allOps()) {
    Sample sample(comm, op);
    auto expected = sample.expected();
    auto superset = expected.product;
    for (std::int64_t i = 0; i < 60; i += 7) {
      for (std::int64_t j = 0; j < 70; j += 9) superset.row[5 + 3 * i].emplace(5 + 3 * j, 0);
    }
    for (auto& [i, row] : superset.row) {
      for (auto& [j, value] : row) expected.bound.row[i].emplace(j, 0);  // what the product lacks is zero
    }
    expected.product = superset;
    const auto c = matrixOf(superset, sample.maps);
    for (unsigned turn = 0; turn < 3; ++turn) {
      multiply(*sample.a, *sample.b, op, *c, topologyParams("2", turn == 1 ? "4x1" : "2x2"));
      EXPECT_EQ(differenceToReference(*c, expected), "") << name(op) << ", turn " << turn;
      EXPECT_TRUE(c->isFillComplete());
      EXPECT_EQ(wrongApply(*c, expected), "");
    }
  }
}

TEST_F(Modes, ReuseOfStaticGraph) {
  Sample sample(comm);
  const auto first = sample.newC();
  multiply(*sample.a, *sample.b, sample.op, *first, topologyParams("2", "2x2"));
  Matrix c(first->getCrsGraph());
  multiply(*sample.a, *sample.b, sample.op, c, topologyParams("2", "2x2"));
  EXPECT_EQ(differenceToReference(c, sample.expected()), "");
  EXPECT_TRUE(c.isFillComplete());
  EXPECT_EQ(c.getCrsGraph().get(), first->getCrsGraph().get());
}

TEST_F(Modes, ReuseOfGraphOfNoEntries) {
  Sample sample(comm, {}, Shape::empty);
  const auto c = sample.newC();
  for (int turn = 0; turn < 3; ++turn) {
    multiply(*sample.a, *sample.b, sample.op, *c, topologyParams("2", "2x2"));
    EXPECT_EQ(brokenPromises(*c, sample.maps), "");
    EXPECT_EQ(c->getGlobalNumEntries(), 0u);
  }
}

TEST_F(Modes, WithoutFillCompleteEntriesAreInserted) {
  for (const auto& op : allOps()) {
    Sample sample(comm, op);
    Matrix c(sample.maps.row, 80);
    multiply(*sample.a, *sample.b, op, c, topologyParams("2", "2x2"), false);
    EXPECT_FALSE(c.isFillComplete());
    EXPECT_TRUE(c.isFillActive());
    c.fillComplete(sample.maps.domain, sample.maps.range);
    EXPECT_EQ(differenceToReference(c, sample.expected()), "") << name(op);
    EXPECT_EQ(brokenPromises(c, sample.maps, {true, false}), "") << name(op);
  }
}

/// Entries (i, j) = 1 for some i and j, partly where the product has none.
ReferenceMatrix someOnes() {
  ReferenceMatrix ones;
  for (std::int64_t i = 0; i < 60; i += 2) {
    for (std::int64_t j = i % 5; j < 70; j += 5) ones.row[5 + 3 * i][5 + 3 * j] = 1;
  }
  return ones;
}

Expected withAdded(Expected expected, const ReferenceMatrix& added) {
  for (const auto& [i, row] : added.row) {
    for (const auto& [j, value] : row) {
      expected.product.row[i][j] += value;
      expected.bound.row[i][j] += std::abs(value);
    }
  }
  return expected;
}

TEST_F(Modes, WithoutFillCompleteInsertedEntriesStay) {
  Sample sample(comm);
  Matrix c(sample.maps.row, 160);
  const auto ones = someOnes();
  for (const auto& [i, row] : ones.row) {
    if (!sample.maps.row->isNodeGlobalElement(static_cast<GO>(i))) continue;
    for (const auto& [j, value] : row) {
      const GO column = static_cast<GO>(j);
      c.insertGlobalValues(static_cast<GO>(i), 1, &value, &column);
    }
  }
  multiply(*sample.a, *sample.b, sample.op, c, topologyParams("3,5", "2x1"), false);
  EXPECT_FALSE(c.isFillComplete());
  c.fillComplete(sample.maps.domain, sample.maps.range);
  EXPECT_EQ(differenceToReference(c, withAdded(sample.expected(), ones)), "");
}

TEST_F(Modes, WithoutFillCompleteSumsIntoGraph) {
  Sample sample(comm);
  const auto expected = sample.expected();
  const auto c = matrixOf(expected.product, sample.maps);  // all values 7
  auto sevens = expected.product;
  for (auto& [i, row] : sevens.row) {
    for (auto& [j, value] : row) value = 7;
  }
  c->resumeFill();
  multiply(*sample.a, *sample.b, sample.op, *c, topologyParams("2", "2x2"), false);
  EXPECT_FALSE(c->isFillComplete());
  c->fillComplete(sample.maps.domain, sample.maps.range);
  EXPECT_EQ(differenceToReference(*c, withAdded(expected, sevens)), "");
}

TEST_F(Modes, NullParameters) {
  Sample sample(comm);
  const auto c = sample.newC();
  MatrixMatrix::Multiply(*sample.a, false, *sample.b, false, *c);
  EXPECT_EQ(differenceToReference(*c, sample.expected()), "");
  EXPECT_EQ(brokenPromises(*c, sample.maps), "");
}

std::set<std::string> ourNames(const Teuchos::ParameterList& list) {
  std::set<std::string> names;
  for (auto entry = list.begin(); entry != list.end(); ++entry) {
    if (list.name(entry).rfind("trident", 0) == 0) names.insert(list.name(entry));
  }
  return names;
}

TEST_F(Modes, TpetrasNamesAreAcceptedAndForeignOnesIgnored) {
  Sample sample(comm);
  const auto params = topologyParams("2", "2x2");
  params->set("compute global constants", true);
  params->set("compute global constants: temporaries", false);
  params->set("sort entries", true);
  params->set("MM_TAFC_OptimizationCoreCount", 1);
  params->set("openmp: algorithm", std::string("default"));
  params->set("somebody else's name", 3.5);
  auto& kernel = params->sublist("matrixmatrix: kernel params");
  kernel.set("isMatrixMatrix_TransferAndFillComplete", true);
  kernel.set("MM_TAFC_OverrideAllreduceCheck", true);
  kernel.set("a foreign name", 1);
  const auto before = ourNames(*params);
  const auto c = sample.newC();
  multiply(*sample.a, *sample.b, sample.op, *c, params);
  EXPECT_EQ(differenceToReference(*c, sample.expected()), "");
  EXPECT_EQ(ourNames(*params), before);
  EXPECT_TRUE(ourNames(kernel).empty());
}

TEST_F(Modes, OurNamesAreReadFromTheSublistToo) {
  Sample sample(comm);
  const auto report = Teuchos::rcp(new ProductReport);
  const auto params = Teuchos::parameterList();
  params->set("trident: report", report);
  auto& kernel = params->sublist("matrixmatrix: kernel params");
  kernel.set("trident: ranks per node", std::string("4"));
  kernel.set("trident: grid", std::string("1x2"));
  const auto c = sample.newC();
  multiply(*sample.a, *sample.b, sample.op, *c, params);
  EXPECT_EQ(differenceToReference(*c, sample.expected()), "");
  EXPECT_EQ(report->nodes, 2);
  EXPECT_EQ(report->grid.cols, 2);
  EXPECT_EQ(report->node, comm->getRank() / 4);
  EXPECT_EQ(report->rank, comm->getRank());
}

// Stock Tpetra keeps its importer in the list and takes it for the next product whatever that is.
TEST_F(Modes, StoredZerosOfACountIfAskedFor) {
  const Sample sample(comm, {}, Shape::explicitZeros);
  const auto a = gathered(*sample.a), b = gathered(*sample.b);
  const auto skipped = Reference::product(a, b, true).entries();
  const auto kept = Reference::product(a, b, false).entries();
  ASSERT_LT(skipped, kept);
  const auto params = topologyParams("2", "");
  for (const auto& [skip, entries] : {std::pair(false, kept), std::pair(true, skipped)}) {
    params->set("trident: skip zeros", skip);
    const auto fresh = sample.newC();
    multiply(*sample.a, *sample.b, {}, *fresh, params);
    EXPECT_EQ(fresh->getGlobalNumEntries(), static_cast<Tpetra::global_size_t>(entries));
  }
}

TEST_F(Modes, OneListServesManyProducts) {
  const auto params = topologyParams("2", "2x2");
  for (const auto& op : allOps()) {
    for (const auto shape : {Shape::random, Shape::denseRow, Shape::emptyRows}) {
      Sample sample(comm, op, shape);
      const auto c = sample.newC();
      multiply(*sample.a, *sample.b, op, *c, params);
      EXPECT_EQ(differenceToReference(*c, sample.expected()), "") << name(op) << ' ' << name(shape);
    }
  }
}

TEST_F(Modes, SameBitsWhateverIsLate) {
  for (const auto& [perNode, grid] : topologies) {
    Sample sample(comm, {}, Shape::denseColumn);
    Teuchos::RCP<Matrix> first;
    for (int variant = 0; variant < 8; ++variant) {
      const auto params = topologyParams(perNode, grid);
      params->set("trident: local product", std::string("host"));
      params->set("trident: gather", std::string(variant % 2 == 0 ? "shared window" : "allgatherv"));
      params->set("trident: rounds ahead", variant % 3);
      if (variant == 5) params->set("trident: max message bytes", 48LL);
      if (variant > 0) params->set("trident: delay seed", 10 * variant);
      const auto c = sample.newC();
      multiply(*sample.a, *sample.b, sample.op, *c, params);
      if (variant == 0) {
        first = c;
        EXPECT_EQ(differenceToReference(*c, sample.expected()), "");
      }
      EXPECT_TRUE(sameBits(*first, *c))
          << "nodes " << perNode << ", grid " << grid << ", variant " << variant;
    }
  }
}

TEST_F(Modes, DisjointCommunicatorsAtOnce) {
  const bool left = comm->getRank() < 3;
  const Comm half = comm->split(left ? 0 : 1, comm->getRank());
  Sample sample(half, left ? Op{} : Op{true, false});
  const auto expected = sample.expected();
  for (int turn = 0; turn < (left ? 9 : 5); ++turn) {  // out of step on purpose
    const auto c = sample.newC();
    auto params = left ? topologyParams("1,2", turn % 2 == 0 ? "2x1" : "1x2") : topologyParams("2,1", "3x1");
    params->set("trident: delay seed", turn + comm->getRank());
    multiply(*sample.a, *sample.b, sample.op, *c, params);
    EXPECT_EQ(differenceToReference(*c, expected), "") << "half " << left << ", turn " << turn;
    EXPECT_EQ(brokenPromises(*c, sample.maps), "");
  }
}

// A communicator's state goes away with it; many short-lived ones must not run out of anything.
TEST_F(Modes, CommunicatorsComeAndGo) {
  for (int turn = 0; turn < 40; ++turn) {
    const Comm own = comm->duplicate();
    Sample sample(own);
    const auto c = sample.newC();
    multiply(*sample.a, *sample.b, sample.op, *c, topologyParams("2", "2x2"));
    if (turn % 20 == 0) {
      EXPECT_EQ(differenceToReference(*c, sample.expected()), "");
    }
  }
}

long long multiplicationsOf(const Sample& sample) {
  auto left = gathered(*sample.a), right = gathered(*sample.b);
  if (sample.op.transposeA) left = Reference::transposed(left);
  if (sample.op.transposeB) right = Reference::transposed(right);
  long long sum = 0;
  for (const auto& [i, row] : left.row) {
    for (const auto& [k, value] : row) sum += static_cast<long long>(right.row[k].size());
  }
  return sum;
}

TEST_F(Modes, LedgerEqualsPrediction) {
  const std::pair<const char*, const char*> plans[] = {
      {"2", "2x2"},   {"2", "4x1"},   {"2", "1x4"},   {"1", "2x4"}, {"3,5", "2x1"},
      {"3,5", "1x2"}, {"1,2", "3x2"}, {"1,2", "2x3"}, {"1", "8x1"}, {"8", "1x1"}};
  int number = 0;
  for (const auto& [perNode, grid] : plans) {
    Sample sample(comm, allOps()[number % 4], number % 3 == 0 ? Shape::denseRow : Shape::random);
    const auto report = Teuchos::rcp(new ProductReport);
    auto params = topologyParams(perNode, grid);
    params->set("trident: report", report);
    params->set("trident: gather", std::string(number % 2 == 0 ? "shared window" : "allgatherv"));
    params->set("trident: local product", std::string(number % 4 < 2 ? "host" : "kokkoskernels"));
    if (number % 3 == 1) params->set("trident: max message bytes", 40LL);
    ++number;
    const auto c = sample.newC();
    multiply(*sample.a, *sample.b, sample.op, *c, params);

    const auto where = std::string("nodes ") + perNode + ", grid " + grid + ", " + name(sample.op);
    expectLedgerAsPredicted(comm, *report, where);
    long long multiplications = report->multiplications;
    MPI_Allreduce(MPI_IN_PLACE, &multiplications, 1, MPI_LONG_LONG, MPI_SUM, mpiComm(comm));
    EXPECT_EQ(multiplications, multiplicationsOf(sample)) << where;
  }
}

}  // namespace
}  // namespace Trident::Test
