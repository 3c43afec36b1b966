// Chains of products whose intermediates stay in tiles: right on every grid and kind of map, and cheaper over
// Gi than products that return to 1D rows. Eight ranks.
#include "TestModes.hpp"
#include "Trident_TiledMatrix.hpp"

namespace Trident::Test {
namespace {

using Tiled = TiledMatrix<>;

class Chains : public EightRanks {
 protected:
  static constexpr Shape shape = Shape::random;
  Axis fine{60, Spread::shuffled, 5, 3}, middle{50, Spread::uneven, 5, 3}, coarse{24, Spread::cyclic, 5, 3};

  // The product of three by stock Tpetra's rules, and its error bound.
  static Expected expectedOfThree(const Matrix& a, const Matrix& b, const Matrix& c) {
    const auto x = gathered(a), y = gathered(b), z = gathered(c);
    return {Reference::product(Reference::product(x, y, true), z, true),
            Reference::product(Reference::product(Reference::absolute(x), Reference::absolute(y), false),
                               Reference::absolute(z), false)};
  }

  static std::vector<std::pair<const char*, const char*>> topologies() {
    return {{"2", "2x2"},   {"2", "4x1"},   {"2", "1x4"}, {"1", "2x4"},  {"1", "4x2"},
            {"3,5", "1x2"}, {"1,2", "3x2"}, {"8", "1x1"}, {"3,5", "2x1"}};
  }
};

long long giBytes(const Comm& comm, const ProductReport& report, Phase phase) {
  long long bytes = report.ledger.bytesReceived(phase, Link::Gi);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_LONG_LONG, MPI_SUM, mpiComm(comm));
  return bytes;
}

long long giBytes(const Comm& comm, const ProductReport& report) {
  long long sum = 0;
  for (int p = 0; p < phaseCount; ++p) sum += giBytes(comm, report, static_cast<Phase>(p));
  return sum;
}

TEST_F(Chains, threeFactorsEitherWayAround) {
  const auto r = buildMatrix(comm, shape, coarse, fine, 3);
  const auto a = buildMatrix(comm, shape, fine, middle, 1);
  const auto p = buildMatrix(comm, shape, middle, coarse, 2);
  const Expected expected = expectedOfThree(*r, *a, *p);
  const ProductMaps maps{r->getRowMap(), p->getDomainMap(), r->getRangeMap()};
  for (const auto& [perNode, grid] : topologies())
    for (const char* filter : {"whole", "needed"}) {
      SCOPED_TRACE(std::string(perNode) + " a node, grid " + grid + ", " + filter);
      auto params = topologyParams(perNode, grid);
      params->set("trident: filter", std::string(filter));
      const auto ap = multiplyTiled(*a, *p, params);
      const auto right = multiplyTiled(*r, ap, params).toCrsMatrix();
      EXPECT_EQ(differenceToReference(*right, expected), "");
      EXPECT_EQ(brokenPromises(*right, maps), "");
      const auto left = multiplyTiled(multiplyTiled(*r, *a, params), *p, params).toCrsMatrix();
      EXPECT_EQ(differenceToReference(*left, expected), "");
      EXPECT_EQ(wrongApply(*left, expected), "");
    }
}

TEST_F(Chains, powersAndTheirIntermediates) {
  const auto a = buildMatrix(comm, shape, fine, fine, 4);
  const Expected square = expectedProduct(*a, *a, {});
  const Expected cube = expectedOfThree(*a, *a, *a);
  for (const auto& [perNode, grid] : topologies()) {
    SCOPED_TRACE(std::string(perNode) + " a node, grid " + grid);
    const auto params = topologyParams(perNode, grid);
    const auto a2 = multiplyTiled(*a, *a, params);
    EXPECT_EQ(differenceToReference(*a2.toCrsMatrix(), square), "");
    EXPECT_EQ(differenceToReference(*multiplyTiled(a2, *a, params).toCrsMatrix(), cube), "");
    EXPECT_EQ(differenceToReference(*multiplyTiled(*a, a2, params).toCrsMatrix(), cube), "");
    const auto a4 = multiplyTiled(a2, a2, params).toCrsMatrix();
    const auto byRows = Teuchos::rcp(new Matrix(a->getRowMap(), 0));
    const auto a2rows = a2.toCrsMatrix();
    MatrixMatrix::Multiply(*a2rows, false, *a2rows, false, *byRows, true, "", params);
    const Expected fourth{gathered(*byRows), expectedProduct(*a2rows, *a2rows, {}).bound};
    EXPECT_EQ(differenceToReference(*a4, fourth), "");
    EXPECT_EQ(differenceToReference(*a2.toCrsMatrix(), square), "")
        << "a tile was changed by what was made of it";
  }
}

// R*(A*P): what the intermediate's way home and back out would have cost is saved.
TEST_F(Chains, tilesMoveFewerBytesThanTwoDropInProducts) {
  const auto r = buildMatrix(comm, shape, coarse, fine, 3);
  const auto a = buildMatrix(comm, shape, fine, middle, 1);
  const auto p = buildMatrix(comm, shape, middle, coarse, 2);
  for (const auto& [perNode, grid] : topologies()) {
    SCOPED_TRACE(std::string(perNode) + " a node, grid " + grid);
    const auto params = topologyParams(perNode, grid);
    params->set("trident: filter", std::string("whole"));
    const auto first = Teuchos::rcp(new ProductReport), second = Teuchos::rcp(new ProductReport);
    const auto ap = Teuchos::rcp(new Matrix(a->getRowMap(), 0)),
               rap = Teuchos::rcp(new Matrix(r->getRowMap(), 0));
    params->set("trident: report", first);
    MatrixMatrix::Multiply(*a, false, *p, false, *ap, true, "", params);
    params->set("trident: report", second);
    MatrixMatrix::Multiply(*r, false, *ap, false, *rap, true, "", params);
    params->remove("trident: report");

    const auto apTiles = multiplyTiled(*a, *p, params);
    const auto rapTiles = multiplyTiled(*r, apTiles, params);
    rapTiles.toCrsMatrix();
    const long long dropIn = giBytes(comm, *first) + giBytes(comm, *second);
    const long long chain = giBytes(comm, apTiles.report()) + giBytes(comm, rapTiles.report());
    EXPECT_LE(chain, dropIn - giBytes(comm, *first, Phase::mapBackC));
    EXPECT_EQ(giBytes(comm, apTiles.report(), Phase::mapBackC), 0);
    EXPECT_EQ(giBytes(comm, rapTiles.report(), Phase::mapBackC), giBytes(comm, *second, Phase::mapBackC));
  }
}

TEST_F(Chains, thePlanChoosesWhereNothingIsAsked) {
  const auto a = buildMatrix(comm, shape, fine, fine, 4);
  auto params = Teuchos::parameterList();
  params->set("trident: ranks per node", std::string("2"));
  const auto a2 = multiplyTiled(*a, *a, params);
  EXPECT_EQ(differenceToReference(*a2.toCrsMatrix(), expectedProduct(*a, *a, {})), "");
  EXPECT_EQ(differenceToReference(*multiplyTiled(a2, *a, params).toCrsMatrix(), expectedOfThree(*a, *a, *a)),
            "");
}

template <class Error, class Work>
void expectOnEveryRank(const Work& work, const std::string& part) {
  bool asExpected = false;
  try {
    work();
  } catch (const Error& error) {
    asExpected = std::string(error.what()).find(part) != std::string::npos;
  }
  EXPECT_TRUE(asExpected) << part;
}

TEST_F(Chains, whatDoesNotFitIsRefusedOnAllRanks) {
  const auto a = buildMatrix(comm, shape, fine, fine, 4);
  const auto p = buildMatrix(comm, shape, middle, coarse, 2);
  const auto square = topologyParams("2", "2x2"), flat = topologyParams("2", "4x1");
  expectOnEveryRank<std::runtime_error>([&] { multiplyTiled(*a, *p, square); }, "columns and B");
  const auto x = multiplyTiled(*a, *a, square), y = multiplyTiled(*a, *a, flat);
  expectOnEveryRank<std::runtime_error>([&] { multiplyTiled(x, y, square); }, "trident: grid");
  auto failing = topologyParams("2", "2x2");
  failing->set("trident: inject failure on rank", 5);
  expectOnEveryRank<std::runtime_error>([&] { multiplyTiled(*a, *a, failing); }, "on rank 5");
  failing = topologyParams("2", "4x1");
  failing->set("trident: inject failure on rank", 5);
  expectOnEveryRank<std::runtime_error>([&] { multiplyTiled(*a, *a, failing); }, "on rank 5");
  EXPECT_EQ(differenceToReference(*multiplyTiled(*a, *a, square).toCrsMatrix(), expectedProduct(*a, *a, {})),
            "");
}

}  // namespace
}  // namespace Trident::Test
