// Squares every square real matrix of the shared collection on 4 nodes of 2 ranks and on 9 nodes of 1,
// against Tpetra's A*A. Nine ranks. The collection is looked for in $TRIDENT_SHARED, then in ../shared beside
// the source tree; without it there is nothing to test.

#include <gtest/gtest.h>

#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "TestProducts.hpp"
#include "Trident_MatrixMatrix.hpp"
#include "io/Trident_MatrixMarket.hpp"
#include "multiply/Trident_ProductReport.hpp"

namespace Trident::Test {
namespace {

namespace fs = std::filesystem;

fs::path collection() {
  if (const char* shared = std::getenv("TRIDENT_SHARED")) return fs::path(shared) / "data" / "matrices";
#ifdef TRIDENT_SHARED_DATA_DIR
  return fs::path(TRIDENT_SHARED_DATA_DIR) / "matrices";
#else
  return fs::path(__FILE__).parent_path().parent_path().parent_path() / "shared" / "data" / "matrices";
#endif
}

/// A table of tab-separated columns under a line of names, by the first column.
std::map<std::string, std::map<std::string, std::string>> table(const fs::path& path) {
  std::map<std::string, std::map<std::string, std::string>> rows;
  std::ifstream file(path);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::vector<std::string> row;
    for (std::string field; std::getline(fields, field, '\t');) row.push_back(field);
    if (names.empty()) names = row;
    for (size_t f = 0; f < row.size() && f < names.size(); ++f) rows[row[0]][names[f]] = row[f];
  }
  return rows;
}

std::vector<std::string> squareMatrices() {
  std::vector<std::string> names;
  for (auto& [name, row] : table(collection() / "INDEX.tsv")) {
    if (name != "name" && row["rows"] == row["cols"]) names.push_back(name);
  }
  return names;
}

void broadcast(std::vector<std::int64_t>& list, MPI_Comm comm) {
  MPI_Bcast(list.data(), static_cast<int>(list.size()), MPI_INT64_T, 0, comm);
}

/// Read on rank 0 only, for parsing costs more than sending. Complex matrices lose their imaginary part.
IO::TripletMatrix readOnce(const Comm& comm, const fs::path& path) {
  const auto mpi = mpiComm(comm);
  IO::TripletMatrix matrix;
  std::vector<std::int64_t> sizes(4, -1);
  if (comm->getRank() == 0) {
    try {
      IO::ReadOptions options;
      options.symmetricDuplicates = IO::SymmetricDuplicates::sum;
      matrix = IO::readMatrixMarket(path.string(), options);
      sizes = {matrix.rows, matrix.cols, static_cast<std::int64_t>(matrix.value.size()),
               matrix.field == "complex"};
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  broadcast(sizes, mpi);
  if (sizes[0] < 0) return {};
  matrix.rows = sizes[0];
  matrix.cols = sizes[1];
  if (sizes[3] != 0) matrix.field = "complex";
  matrix.row.resize(sizes[2]);
  matrix.col.resize(sizes[2]);
  matrix.value.resize(sizes[2]);
  broadcast(matrix.row, mpi);
  broadcast(matrix.col, mpi);
  MPI_Bcast(matrix.value.data(), static_cast<int>(sizes[2]), MPI_DOUBLE, 0, mpi);
  return matrix;
}

Teuchos::RCP<Matrix> distributed(const Comm& comm, const IO::TripletMatrix& whole, bool absolute) {
  const Teuchos::RCP<const Map> map = Teuchos::rcp(new Map(whole.rows, 0, comm));
  const auto begin = std::lower_bound(whole.row.begin(), whole.row.end(), map->getMinGlobalIndex());
  const auto end = std::upper_bound(begin, whole.row.end(), map->getMaxGlobalIndex());
  std::vector<size_t> lengths(map->getMaxLocalIndex() + 1, 0);
  for (auto row = begin; row != end; ++row) ++lengths[map->getLocalElement(*row)];
  auto matrix =
      Teuchos::rcp(new Matrix(map, Teuchos::ArrayView<const size_t>(lengths.data(), lengths.size())));
  for (auto row = begin; row != end; ++row) {
    const size_t e = row - whole.row.begin();
    const GO column = whole.col[e];
    const Scalar value = absolute ? std::abs(whole.value[e]) : whole.value[e];
    matrix->insertGlobalValues(*row, 1, &value, &column);
  }
  matrix->fillComplete();
  return matrix;
}

using RowEntries = std::vector<std::pair<GO, Scalar>>;

/// Row `lid`, ordered by global column.
RowEntries rowByColumn(const Matrix& m, const Matrix::local_matrix_host_type& local, LO lid) {
  RowEntries row;
  for (size_t e = local.graph.row_map(lid); e < local.graph.row_map(lid + 1); ++e) {
    row.emplace_back(m.getColMap()->getGlobalElement(local.graph.entries(e)), local.values(e));
  }
  std::sort(row.begin(), row.end());
  return row;
}

/// The first entry of C whose place differs, or whose value differs by more than 64 eps (|A||A|)_ij.
std::string difference(const Matrix& c, const Matrix& expected, const Matrix& bound) {
  const auto found = c.getLocalMatrixHost(), wanted = expected.getLocalMatrixHost(),
             scale = bound.getLocalMatrixHost();
  for (LO lid = 0; lid < static_cast<LO>(wanted.numRows()); ++lid) {
    const auto x = rowByColumn(c, found, lid), y = rowByColumn(expected, wanted, lid),
               b = rowByColumn(bound, scale, lid);
    std::ostringstream text;
    text << "row " << c.getRowMap()->getGlobalElement(lid) << ": ";
    if (x.size() != y.size()) text << x.size() << " entries, should be " << y.size();
    for (size_t e = 0; e < std::min(x.size(), y.size()); ++e) {
      const bool placed = x[e].first == y[e].first;
      const double allowed = 64 * std::numeric_limits<double>::epsilon() * b[e].second;
      if (placed && std::abs(x[e].second - y[e].second) <= allowed) continue;
      text << "column " << x[e].first << " = " << x[e].second << ", should be column " << y[e].first << " = "
           << y[e].second << " within " << allowed;
      return text.str();
    }
    if (x.size() != y.size()) return text.str();
  }
  return {};
}

/// The first `ranks` ranks, made once. Collective over all.
Comm firstRanks(int ranks) {
  static std::map<int, Comm> made;
  if (made.count(ranks) == 0) {
    std::vector<int> members(ranks);
    for (int r = 0; r < ranks; ++r) members[r] = r;
    made[ranks] = Tpetra::getDefaultComm()->createSubcommunicator(members);
    Kokkos::push_finalize_hook([] { made.clear(); });
  }
  return made[ranks];
}

Teuchos::RCP<Matrix> squareByTpetra(const Matrix& a) {
  auto c = Teuchos::rcp(new Matrix(a.getRowMap(), 0));
  Tpetra::MatrixMatrix::Multiply(a, false, a, false, *c);
  return c;
}

/// What is wrong with A*A, by needed rows or whatever the plan chooses ("auto") and by whole tiles on a
/// square grid.
std::string wrongSquare(const Comm& comm, const IO::TripletMatrix& whole, const char* perNode,
                        long long nonzeros) {
  const auto a = distributed(comm, whole, false);
  const auto expected = squareByTpetra(*a), bound = squareByTpetra(*distributed(comm, whole, true));
  std::string wrong;
  for (const char* filter : {"auto", "whole"}) {
    const auto report = Teuchos::rcp(new ProductReport);
    auto params = Teuchos::parameterList();
    params->set("trident: ranks per node", std::string(perNode));
    params->set("trident: filter", std::string(filter));
    params->set("trident: report", report);
    Matrix c(a->getRowMap(), 0);
    MatrixMatrix::Multiply(*a, false, *a, false, c, true, "test", params);

    std::string now = difference(c, *expected, *bound);
    if (report->handedBack) now += "; handed back to Tpetra: " + report->handBackReason;
    now += brokenPromises(c, {a->getRowMap(), a->getDomainMap(), a->getRangeMap()});
    if (nonzeros >= 0 && static_cast<long long>(c.getGlobalNumEntries()) != nonzeros) {
      now += "; " + std::to_string(c.getGlobalNumEntries()) + " entries, REF_AA.tsv says " +
             std::to_string(nonzeros);
    }
    if (!now.empty()) wrong += std::string("filter ") + filter + ": " + now + '\n';
  }
  return wrong;
}

class RealMatrices : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealMatrices);

TEST_P(RealMatrices, SquaresLikeTpetra) {
  const auto all = Tpetra::getDefaultComm();
  ASSERT_EQ(all->getSize(), 9) << "run this test on nine ranks";
  const auto whole = readOnce(all, collection() / (GetParam() + ".mtx.gz"));
  if (whole.rows == 0) FAIL() << "not read";

  // The collection counts zeros of A into the pattern, Tpetra does not.
  const bool zeros = std::count(whole.value.begin(), whole.value.end(), 0.0) > 0;
  static auto references = table(collection() / "REF_AA.tsv");
  const auto reference = references.find(GetParam());
  const bool known = !zeros && whole.field != "complex" && reference != references.end();
  const long long nonzeros = known ? std::stoll(reference->second["nnz_AA"]) : -1;

  EXPECT_EQ(wrongSquare(firstRanks(9), whole, "1", nonzeros), "") << GetParam() << " on 9 nodes of 1 rank";
  const auto eight = firstRanks(8);
  if (!eight.is_null()) {
    EXPECT_EQ(wrongSquare(eight, whole, "2", nonzeros), "") << GetParam() << " on 4 nodes of 2 ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(All, RealMatrices, testing::ValuesIn(squareMatrices()), [](const auto& chosen) {
  std::string name = chosen.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

TEST(Collection, IsThere) {
  if (squareMatrices().empty()) GTEST_SKIP() << "no matrices in " << collection();
}

}  // namespace
}  // namespace Trident::Test
