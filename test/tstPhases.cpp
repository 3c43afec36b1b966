// Products in column phases, under a memory budget, and with a callback that prunes or streams out. Eight
// ranks.
#include "TestModes.hpp"
#include "Trident_PhaseCallback.hpp"

namespace Trident::Test {
namespace {

class Phases : public EightRanks {
 protected:
  void SetUp() override {
    EightRanks::SetUp();
    sample = std::make_unique<Sample>(comm);
  }

  std::unique_ptr<Sample> sample;
};

TEST_F(Phases, anyNumberOfPhasesGivesTheProduct) {
  const std::pair<const char*, const char*> topologies[] = {{"2", "4x1"},   {"2", "2x2"},   {"1", "2x4"},
                                                            {"3,5", "2x1"}, {"1,2", "2x3"}, {"8", "1x1"}};
  const Expected expected = sample->expected();
  for (const auto& [perNode, grid] : topologies)
    for (const int phases : {2, 3, 7, 100})
      for (const char* filter : {"whole", "needed"}) {
        SCOPED_TRACE(std::string(perNode) + " a node, grid " + grid + ", " + std::to_string(phases) +
                     " phases, " + filter);
        auto params = topologyParams(perNode, grid);
        params->set("trident: column phases", phases);
        params->set("trident: filter", std::string(filter));
        const auto report = Teuchos::rcp(new ProductReport);
        params->set("trident: report", report);
        const auto c = sample->newC();
        multiply(*sample->a, *sample->b, sample->op, *c, params);
        EXPECT_EQ(differenceToReference(*c, expected), "");
        EXPECT_EQ(brokenPromises(*c, sample->maps), "");
        EXPECT_EQ(report->plan.columnPhases, phases);
      }
}

TEST_F(Phases, aBudgetIsHeldByMorePhasesOrSaidToBeTooSmall) {
  const Expected expected = sample->expected();
  auto params = topologyParams("2", "4x1");
  const auto report = Teuchos::rcp(new ProductReport);
  params->set("trident: report", report);
  params->set("trident: memory budget", std::string("1G"));
  auto c = sample->newC();
  multiply(*sample->a, *sample->b, sample->op, *c, params);
  EXPECT_EQ(differenceToReference(*c, expected), "");
  EXPECT_EQ(report->plan.columnPhases, 1);
  const double atOnce = report->plan.predicted.memoryBytes;
  EXPECT_GT(atOnce, 0);

  params->set("trident: memory budget", std::to_string(static_cast<long long>(atOnce) - 1));
  bool moreThanOne = false;
  try {
    c = sample->newC();
    multiply(*sample->a, *sample->b, sample->op, *c, params);
    EXPECT_EQ(differenceToReference(*c, expected), "");
    EXPECT_LT(report->plan.predicted.memoryBytes, atOnce);
    moreThanOne = report->plan.columnPhases > 1;
  } catch (const std::runtime_error& error) {
    moreThanOne = std::string(error.what()).find("needs at least") != std::string::npos;
  }
  EXPECT_TRUE(moreThanOne);

  params->set("trident: memory budget", std::string("100"));
  c = sample->newC();
  try {
    multiply(*sample->a, *sample->b, sample->op, *c, params);
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("is 100 bytes a rank; this product needs at least"),
              std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(c->isFillComplete());
  for (const char* bad : {"-1", "many", "10T", "120%"}) {
    params->set("trident: memory budget", std::string(bad));
    EXPECT_THROW(multiply(*sample->a, *sample->b, sample->op, *c, params), std::invalid_argument) << bad;
  }
  params->set("trident: memory budget", std::string("50%"));
  multiply(*sample->a, *sample->b, sample->op, *c, params);
  EXPECT_EQ(differenceToReference(*c, expected), "");
}

// Keeps the entries above a limit, as Markov clustering does.
Teuchos::RCP<const Matrix> pruned(const Matrix& c, Scalar limit) {
  auto kept = Teuchos::rcp(new Matrix(c.getRowMap(), c.getColMap(), c.getGlobalMaxNumRowEntries()));
  const auto local = c.getLocalMatrixHost();
  for (LO i = 0; i < local.numRows(); ++i)
    for (auto e = local.graph.row_map(i); e < local.graph.row_map(i + 1); ++e)
      if (std::abs(local.values(e)) > limit) {
        const LO column = local.graph.entries(e);
        const Scalar value = local.values(e);
        kept->insertLocalValues(i, 1, &value, &column);
      }
  kept->fillComplete(c.getDomainMap(), c.getRangeMap());
  return kept;
}

TEST_F(Phases, aCallbackPrunesOrStreamsOut) {
  using Callback = PhaseCallback<Matrix>;
  const Expected expected = sample->expected();
  constexpr Scalar limit = 2;
  for (const char* grid : {"4x1", "2x2", "1x4"}) {
    SCOPED_TRACE(grid);
    auto params = topologyParams("2", grid);
    params->set("trident: column phases", 5);
    long long seen = 0;
    int calls = 0;
    params->set("trident: phase callback",
                Teuchos::rcp(new Callback([&](const Teuchos::RCP<Matrix>& c, int number, int phases) {
                  EXPECT_EQ(number, calls++);
                  EXPECT_EQ(phases, 5);
                  seen += static_cast<long long>(c->getGlobalNumEntries());
                  return pruned(*c, limit);
                })));
    auto c = sample->newC();
    multiply(*sample->a, *sample->b, sample->op, *c, params);
    EXPECT_EQ(calls, 5);
    EXPECT_EQ(seen, expected.product.entries());
    Expected large = expected;
    for (auto& [i, row] : large.product.row)
      for (auto entry = row.begin(); entry != row.end();)
        entry = std::abs(entry->second) > limit ? std::next(entry) : row.erase(entry);
    EXPECT_EQ(differenceToReference(*c, large), "");
    EXPECT_EQ(brokenPromises(*c, sample->maps), "");

    params->set(
        "trident: phase callback",
        Teuchos::rcp(new Callback([&](const Teuchos::RCP<Matrix>&, int, int) { return Teuchos::null; })));
    c = sample->newC();
    multiply(*sample->a, *sample->b, sample->op, *c, params);
    EXPECT_EQ(c->getGlobalNumEntries(), 0U);
    EXPECT_TRUE(c->isFillComplete());
  }
}

TEST_F(Phases, whatACallbackReturnsMustFitC) {
  using Callback = PhaseCallback<Matrix>;
  auto params = topologyParams("2", "2x2");
  params->set("trident: column phases", 2);
  params->set("trident: phase callback",
              Teuchos::rcp(new Callback([&](const Teuchos::RCP<Matrix>&, int, int) { return sample->b; })));
  const auto c = sample->newC();
  EXPECT_THROW(multiply(*sample->a, *sample->b, sample->op, *c, params), std::runtime_error);
  EXPECT_FALSE(c->isFillComplete());
}

struct OwnFailure : std::logic_error {
  using std::logic_error::logic_error;
};

TEST_F(Phases, aCallbackThatThrowsOnOneRankFailsOnAll) {
  using Callback = PhaseCallback<Matrix>;
  auto params = topologyParams("2", "4x1");
  params->set("trident: column phases", 2);
  const int rank = sample->a->getComm()->getRank();
  params->set("trident: phase callback",
              Teuchos::rcp(new Callback([rank](const Teuchos::RCP<Matrix>&, int, int) {
                if (rank == 3) throw OwnFailure("no room on disk");
                return Teuchos::null;
              })));
  std::string text;
  bool own = false;
  try {
    const auto c = sample->newC();
    multiply(*sample->a, *sample->b, sample->op, *c, params);
  } catch (const OwnFailure& failure) {
    own = true;
    text = failure.what();
  } catch (const std::runtime_error& error) {
    text = error.what();
  }
  EXPECT_EQ(own, rank == 3);
  EXPECT_NE(text.find("no room on disk"), std::string::npos) << text;
  EXPECT_EQ(text.find("rank 3") != std::string::npos, rank != 3) << text;
}

}  // namespace
}  // namespace Trident::Test
