// A^T B by partial rows, without Tpetra: against the definition, the ledger against the tally, values again.
#include "TestTiledProduct.hpp"
#include "multiply/Trident_TransposedProduct.hpp"

namespace {

using namespace Trident;
using namespace Trident::EngineTest;

using Types = TileTypes<double, int, Device>;
using Matrix = Reference::Matrix<double>;

Matrix transposed(const Matrix& a) {
  Matrix turned;
  for (const auto& [i, row] : a.row)
    for (const auto& [j, value] : row) turned.row[j][i] = value;
  return turned;
}

// a is k x m and lies in the rows of the inner dimension, as b, k x n, does; C = a^T b is m x n.
class TransposedHarness : public Harness<Types> {
 public:
  TransposedHarness(const char* nodes, unsigned seed, LocalKind local = LocalKind::host)
      : Harness<Types>({nodes, NodeGrid{Topology::forced(ranks(), nodes).nodes(), 1}, GatherKind::automatic,
                        local, 0, 0, seed % 2 == 0 ? 64 : 1 << 20, TileFilter::needed, TileSource::owners},
                       41, 67, 37, seed) {
    plan_.partialRows = true;
  }

  static int ranks() {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
  }

  std::unique_ptr<TransposedProduct<Types>> product(const Matrix& a) {
    return std::make_unique<TransposedProduct<Types>>(
        context_, plan_, spacesHeld_,
        NeededOfOwner(context_.topology(), plan_.grid, rows_[context_.rank()], partnersOf(a)));
  }
  LocalRows<Types> rowsOfA(const Matrix& a) const {
    return ownRows(a, inner_, spaces_.rows, rows_, columnsOn(a, context_.rank()));
  }
  LocalRows<Types> rowsOfB(const Matrix& b) const {
    return ownRows(b, inner_, spaces_.columns, columns_, allColumns(columns_));
  }

  void expectLedgerAsTallied(TransposedProduct<Types>& product, const WireSizes& wire) {
    RankTally tally = product.tally();
    std::vector<std::int64_t> sums = tallyByNode(context_, tally);
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM,
                  context_.comm());
    report_ = product.report();
    addPrediction(plan_, tally, sums, wire, report_);
    expectLedgerAsPredicted();
  }

  int rank() const { return context_.rank(); }

 private:
  std::vector<std::int64_t> columnsOn(const Matrix& a, int rank) const {
    std::set<std::int64_t> columns;
    for (std::int64_t i = firstOf(inner_, rank); i < firstOf(inner_, rank + 1); ++i)
      if (const auto row = a.row.find(i); row != a.row.end())
        for (const auto& [k, value] : row->second) columns.insert(k);
    return {columns.begin(), columns.end()};
  }

  RowConsumers partnersOf(const Matrix& a) const {
    RowConsumers partners;
    const std::int64_t first = firstOf(rows_, context_.rank());
    for (int rank = 0; rank < context_.topology().ranks(); ++rank)
      for (const std::int64_t k : columnsOn(a, rank))
        if (rank != context_.rank() && k >= first && k < first + rows_[context_.rank()]) {
          partners.rows.push_back(k - first);
          partners.ranks.push_back(rank);
        }
    return partners;
  }
};

constexpr WireSizes whole{sizeof(int), sizeof(int) + sizeof(double)};
constexpr WireSizes valuesOnly{0, sizeof(double)};

class PartialRowsOn : public testing::TestWithParam<const char*> {};

TEST_P(PartialRowsOn, theProductIsTheDefinitionsAndTheLedgerTheTallys) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (const int entries : {0, 40, 300}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(entries) + " entries");
      const auto local = seed % 3 == 0 ? LocalKind::kokkosKernels : LocalKind::host;
      TransposedHarness harness(GetParam(), seed, local);
      const auto a = randomMatrix<double>(67, 41, entries, seed);
      const auto b = randomMatrix<double>(67, 37, 230, seed + 7);
      const auto product = harness.product(a);

      harness.expectRows(product->multiplyUnagreed(harness.rowsOfA(a), harness.rowsOfB(b)),
                         Reference::product(transposed(a), b, true));
      harness.expectLedgerAsTallied(*product, whole);

      for (const double factor : {3.0, -5.0}) {
        const auto a2 = scaled(a, factor), b2 = scaled(b, factor + 7);
        harness.expectRows(product->multiplyValuesUnagreed(harness.rowsOfA(a2), harness.rowsOfB(b2)),
                           Reference::product(transposed(a2), b2, true));
        harness.expectLedgerAsTallied(*product, valuesOnly);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(NodeSizes, PartialRowsOn, testing::Values("1", "2", "3", "1,2", "3,1,2", "100"));

// Every rank has a part of each row: with nodes, a row leaves its node once.
TEST(PartialRows, areSummedInTheirNodeBeforeTheyLeaveIt) {
  if (TransposedHarness::ranks() < 4) GTEST_SKIP() << "wants two nodes of two ranks";
  Matrix a, b;
  for (std::int64_t i = 0; i < 67; ++i)
    for (std::int64_t j = 0; j < 41; ++j) a.row[i][j] = 1;
  for (std::int64_t i = 0; i < 67; ++i) b.row[i][i % 37] = 1;
  std::int64_t bytes[2];
  for (const bool nodes : {false, true}) {
    TransposedHarness harness(nodes ? "2" : "1", 4);
    const auto product = harness.product(a);
    harness.expectRows(product->multiplyUnagreed(harness.rowsOfA(a), harness.rowsOfB(b)),
                       Reference::product(transposed(a), b, true));
    bytes[nodes ? 1 : 0] = product->report().ledger.bytesReceived(Phase::mapBackC, Link::Gi);
    MPI_Allreduce(MPI_IN_PLACE, &bytes[nodes ? 1 : 0], 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  }
  EXPECT_LT(bytes[1], bytes[0]);
}

TEST(PartialRows, aRankThatFailsSaysSoAndNobodyWaits) {
  TransposedHarness harness("2", 3);
  const auto a = randomMatrix<double>(67, 41, 300, 1);
  const auto b = randomMatrix<double>(67, 37, 230, 2);
  const int failing = TransposedHarness::ranks() - 1;
  harness.plan().faults.failingRank = failing;
  const auto product = harness.product(a);
  product->multiplyUnagreed(harness.rowsOfA(a), harness.rowsOfB(b));
  EXPECT_EQ(product->failure().empty(), harness.rank() != failing) << product->failure();
}

}  // namespace
