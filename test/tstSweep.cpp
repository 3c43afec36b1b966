// The products of the acceptance sweep; test/sweep.py starts this program and judges what it prints.
//
// usage: tstSweep RANKS_PER_NODE FILE...   on any number of ranks; each FILE is a MatrixMarket file
//        tstSweep --write FOLDER           on one rank; writes the generated matrices as FOLDER/NAME.mtx
//
// Squares every matrix (A A^T where it is rectangular) on nodes of RANKS_PER_NODE ranks. No grid is asked
// for: the plan chooses. Prints a line of JSON for each product. One start serves all matrices, for starting
// 64 ranks takes longer than most of the products. Complex matrices are multiplied by their moduli, as the
// Tpetra of Debian has no complex scalars; the pattern, on which all traffic depends, is the same.

#include <mpi.h>

#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "TestProducts.hpp"
#include "Trident_MatrixMatrix.hpp"
#include "io/Trident_Generators.hpp"
#include "io/Trident_MatrixMarket.hpp"
#include "multiply/Trident_ProductReport.hpp"

namespace Trident::Test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// ---- the generated matrices ----

struct Generated {
  std::int64_t rows;
  std::function<IO::RowBlock(std::int64_t)> make;  ///< given the number of rows
};

std::map<std::string, Generated> generatedMatrices() {
  constexpr std::uint64_t seed = 1;
  return {{"er_n20000_d10", {20000, [](auto n) { return IO::erdosRenyi(n, 10, seed, 0, n); }}},
          {"er_n5000_d64", {5000, [](auto n) { return IO::erdosRenyi(n, 64, seed, 0, n); }}},
          {"stencil7_24", {24 * 24 * 24, [](auto n) { return IO::stencil7(24, 24, 24, 0, n); }}},
          {"stencil27_20", {20 * 20 * 20, [](auto n) { return IO::stencil27(20, 20, 20, 0, n); }}},
          {"rmat_s12_d8", {1 << 12, [](auto n) { return IO::rmat(12, 8, seed, 0, n); }}}};
}

void writeMatrix(const fs::path& path, std::int64_t rows, const IO::RowBlock& block) {
  std::ofstream out(path);
  out.precision(std::numeric_limits<double>::max_digits10);
  out << "%%MatrixMarket matrix coordinate real general\n"
      << rows << ' ' << rows << ' ' << block.col.size() << '\n';
  for (std::size_t row = 0; row + 1 < block.rowPtr.size(); ++row) {
    for (std::size_t e = block.rowPtr[row]; e < block.rowPtr[row + 1]; ++e)
      out << row + 1 << ' ' << block.col[e] + 1 << ' ' << block.value[e] << '\n';
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

// ---- reading ----

/// This rank's part of one array that rank 0 has whole; `ends` as in distributed().
template <class T>
std::vector<T> scattered(MPI_Comm comm, const std::vector<T>& whole, const std::vector<int>& ends,
                         MPI_Datatype type) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<int> counts(ends.size() - 1);
  for (std::size_t r = 0; r < counts.size(); ++r) counts[r] = ends[r + 1] - ends[r];
  std::vector<T> mine(counts[rank]);
  MPI_Scatterv(whole.data(), counts.data(), ends.data(), type, mine.data(), counts[rank], type, 0, comm);
  return mine;
}

/// Read on rank 0, and on the others empty but for the sizes. Throws on all ranks where it cannot be read.
IO::TripletMatrix readOnce(MPI_Comm comm, const std::string& path) {
  IO::TripletMatrix whole;
  std::int64_t sizes[3] = {-1, 0, 0};
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::string error = "not read";
  if (rank == 0) try {
      IO::ReadOptions options;
      options.symmetricDuplicates = IO::SymmetricDuplicates::sum;
      whole = IO::readMatrixMarket(path, options);
      for (std::size_t e = 0; e < whole.imag.size(); ++e)
        whole.value[e] = std::hypot(whole.value[e], whole.imag[e]);
      const auto entries = static_cast<std::int64_t>(whole.value.size());
      if (entries > std::numeric_limits<int>::max())
        throw std::runtime_error("too many entries for the test");
      sizes[0] = whole.rows;
      sizes[1] = whole.cols;
    } catch (const std::exception& caught) {
      error = caught.what();
    }
  MPI_Bcast(sizes, 2, MPI_INT64_T, 0, comm);
  if (sizes[0] < 0) throw std::runtime_error(error);
  whole.rows = sizes[0];
  whole.cols = sizes[1];
  return whole;
}

/// Rows and columns cut uniformly over the ranks.
Teuchos::RCP<Matrix> distributed(const Comm& comm, const IO::TripletMatrix& whole) {
  const auto mpi = mpiComm(comm);
  const Teuchos::RCP<const Map> rows = Teuchos::rcp(new Map(whole.rows, 0, comm));
  const auto columns = whole.cols == whole.rows ? rows : Teuchos::rcp(new const Map(whole.cols, 0, comm));

  // Where each rank's entries begin; right on rank 0, then broadcast.
  auto next = rows->getMaxLocalIndex() + 1;
  std::vector<int> ownRows(comm->getSize()), ends(comm->getSize() + 1, 0);
  MPI_Allgather(&next, 1, MPI_INT, ownRows.data(), 1, MPI_INT, mpi);
  std::int64_t before = 0;
  for (std::size_t r = 0; r < ownRows.size(); ++r) {
    before += ownRows[r];
    ends[r + 1] =
        static_cast<int>(std::lower_bound(whole.row.begin(), whole.row.end(), before) - whole.row.begin());
  }
  MPI_Bcast(ends.data(), static_cast<int>(ends.size()), MPI_INT, 0, mpi);
  const auto row = scattered(mpi, whole.row, ends, MPI_INT64_T);
  const auto column = scattered(mpi, whole.col, ends, MPI_INT64_T);
  const auto value = scattered(mpi, whole.value, ends, MPI_DOUBLE);

  std::vector<std::size_t> lengths(ownRows[comm->getRank()], 0);
  for (const auto i : row) ++lengths[rows->getLocalElement(i)];
  const Teuchos::ArrayView<const std::size_t> room(lengths.data(), static_cast<long>(lengths.size()));
  auto matrix = Teuchos::rcp(new Matrix(rows, room));
  for (std::size_t e = 0; e < row.size(); ++e) {
    const GO j = column[e];
    const Scalar x = value[e];
    matrix->insertGlobalValues(row[e], 1, &x, &j);
  }
  matrix->fillComplete(columns, rows);
  return matrix;
}

// ---- the product and what it tells ----

/// Bytes of all kinds that each node received over Gi, by phase. Collective; the result is rank 0's.
Json giBytes(MPI_Comm comm, const ProductReport& report) {
  std::vector<std::int64_t> mine(static_cast<std::size_t>(phaseCount * report.nodes), 0), all(mine.size(), 0);
  for (int phase = 0; phase < phaseCount; ++phase)
    mine[phase * report.nodes + report.node] =
        report.ledger.bytesReceived(static_cast<Phase>(phase), Link::Gi);
  MPI_Reduce(mine.data(), all.data(), static_cast<int>(all.size()), MPI_INT64_T, MPI_SUM, 0, comm);
  Json byPhase = Json::object();
  for (int phase = 0; phase < phaseCount; ++phase) {
    const auto begin = all.begin() + phase * report.nodes;
    byPhase[name(static_cast<Phase>(phase))] = std::vector<std::int64_t>(begin, begin + report.nodes);
  }
  return byPhase;
}

Json predicted(const ProductReport& report) {
  Json byPhase = Json::object();
  for (int phase = 0; phase < phaseCount; ++phase)
    byPhase[name(static_cast<Phase>(phase))] = report.predictedGiBytes[phase];
  return byPhase;
}

Json productOf(const Comm& comm, const std::string& path, const std::string& ranksPerNode) {
  const auto A = distributed(comm, readOnce(mpiComm(comm), path));
  const bool square = A->getGlobalNumRows() == A->getGlobalNumCols();
  const auto report = Teuchos::rcp(new ProductReport);
  const auto params = Teuchos::parameterList();
  params->set("trident: machine", std::string("0,1e9"));  // bytes alone decide, or few would leave one column
  params->set("trident: ranks per node", ranksPerNode);
  params->set("trident: pattern memory", std::string("0"));
  params->set("trident: report", report);
  Matrix C(A->getRowMap(), 0);
  MatrixMatrix::Multiply(*A, false, *A, !square, C, true, "sweep", params);

  Json json;
  json["op"] = square ? "AA" : "AAt";
  json["nodes"] = report->nodes;
  json["ranks_per_node"] = report->ranksPerNode;
  json["grid"] = std::to_string(report->grid.rows) + 'x' + std::to_string(report->grid.cols);
  json["filter"] = report->filter;
  json["tiles_from"] = report->source;
  json["handed_back"] = report->handedBack ? Json(report->handBackReason) : Json(nullptr);
  json["nnz_a"] = A->getGlobalNumEntries();
  json["nnz_c"] = C.getGlobalNumEntries();
  json["seconds"] = report->secondsTotal;
  json["gi_bytes"] = giBytes(mpiComm(comm), *report);
  json["gi_bytes_predicted"] = predicted(*report);
  return json;
}

void sweep(const std::string& ranksPerNode, const std::vector<std::string>& paths) {
  const auto comm = Tpetra::getDefaultComm();
  for (const auto& path : paths) {
    Json line;
    line["matrix"] = fs::path(path).filename().string();
    try {  // what a product throws, it throws on all ranks
      line.update(productOf(comm, path, ranksPerNode));
    } catch (const std::exception& error) {
      line["error"] = error.what();
    }
    if (comm->getRank() == 0)
      std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--write") {
    for (const auto& [name, matrix] : generatedMatrices())
      writeMatrix(fs::path(arguments[1]) / (name + ".mtx"), matrix.rows, matrix.make(matrix.rows));
    return 0;
  }
  if (arguments.empty() || std::atoi(arguments[0].c_str()) < 1) {
    std::cerr << "usage: tstSweep RANKS_PER_NODE FILE... | tstSweep --write FOLDER\n";
    return 1;
  }
  sweep(arguments[0], {arguments.begin() + 1, arguments.end()});
  return 0;
}

}  // namespace
}  // namespace Trident::Test

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard guard(&argc, &argv);
  try {
    return Trident::Test::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "tstSweep: " << error.what() << std::endl;
    return 1;
  }
}
