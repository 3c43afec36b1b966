#include "MatrixSource.hpp"

#include <Tpetra_Details_extractMpiCommFromTeuchos.hpp>
#include <algorithm>
#include <iomanip>
#include <limits>
#include <sstream>

#include "Agreement.hpp"
#include "FileMatrix.hpp"
#include "GeneratorSpec.hpp"
#include "topology/Trident_Memory.hpp"

namespace Spgemm {

namespace {

using Trident::IO::RowBlock;

std::string gigabytes(double bytes) {
  std::ostringstream text;
  text << std::setprecision(3) << bytes / 1e9 << " GB";
  return text.str();
}

/// Ranks that share this one's memory.
int ranksOnThisMachine(MPI_Comm comm) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  const int ranks = sizeOf(machine);
  MPI_Comm_free(&machine);
  return ranks;
}

/// Refuses, before anything is allocated, sizes that a file may claim in a few bytes.
void checkSize(MPI_Comm comm, const std::string& name, std::int64_t rows, std::int64_t cols) {
  // Row pointers of A, C and their tiles, twice as Tpetra holds some on host and device: no less than this.
  constexpr double bytesPerRow = 64;
  const int ranks = sizeOf(comm);
  const int sharing = ranksOnThisMachine(comm);
  together(comm, [&] {
    const std::int64_t own = std::max(rows, cols) / ranks + 1;
    const std::string found = name + ": too many local rows: " + std::to_string(rows) + " x " +
                              std::to_string(cols) + " over " + std::to_string(ranks) + " ranks; ";
    constexpr auto mostLocal = static_cast<std::int64_t>(std::numeric_limits<LocalOrdinal>::max());
    if (own > mostLocal)
      throw std::runtime_error(found + "allowed: " + std::to_string(mostLocal) +
                               " a rank, with this Tpetra's local index; run more ranks");
    constexpr auto mostGlobal = static_cast<std::int64_t>(std::numeric_limits<GlobalOrdinal>::max());
    if (std::max(rows, cols) > mostGlobal)
      throw std::runtime_error(found + "allowed: " + std::to_string(mostGlobal) +
                               " in all, with this Tpetra's global index");
    const auto available = static_cast<double>(Trident::availableBytes());
    const double needed = static_cast<double>(own) * sharing * bytesPerRow;
    if (available > 0 && needed > available)
      throw std::runtime_error(found + "empty rows alone would take " + gigabytes(needed) +
                               " here; allowed: the " + gigabytes(available) +
                               " of memory that are available; run on more machines");
  });
}

Teuchos::RCP<const Map> uniformMap(std::int64_t size, const Teuchos::RCP<const Teuchos::Comm<int>>& comm) {
  return Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(size), 0, comm));
}

Teuchos::RCP<const Matrix> buildMatrix(const Teuchos::RCP<const Map>& rowMap,
                                       const Teuchos::RCP<const Map>& domainMap, const RowBlock& rows) {
  const std::size_t count = localCount(*rowMap);
  Teuchos::Array<std::size_t> lengths(static_cast<Teuchos::Ordinal>(count));
  for (std::size_t r = 0; r < count; ++r)
    lengths[static_cast<Teuchos::Ordinal>(r)] = rows.rowPtr[r + 1] - rows.rowPtr[r];
  const auto matrix = Teuchos::rcp(new Matrix(rowMap, lengths()));
  const std::vector<GlobalOrdinal> columns(rows.col.begin(), rows.col.end());
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t begin = rows.rowPtr[r];
    const auto length = static_cast<Teuchos::Ordinal>(rows.rowPtr[r + 1] - begin);
    if (length == 0) continue;
    const std::int64_t row = rows.firstRow + static_cast<std::int64_t>(r);
    matrix->insertGlobalValues(static_cast<GlobalOrdinal>(row),
                               Teuchos::ArrayView<const GlobalOrdinal>(&columns[begin], length),
                               Teuchos::ArrayView<const double>(&rows.value[begin], length));
  }
  matrix->fillComplete(domainMap, rowMap);
  return matrix;
}

/// The first of this rank's rows when all ranks hold `ownRows`.
std::int64_t firstRowOf(MPI_Comm comm, std::int64_t ownRows) {
  const std::vector<std::int64_t> rowsOf = gatherFromRanks(comm, ownRows);
  std::int64_t first = 0;
  for (int r = 0; r < rankIn(comm); ++r) first += rowsOf[static_cast<std::size_t>(r)];
  return first;
}

RowBlock generateRows(MPI_Comm comm, const GeneratedMatrix& generated, std::int64_t ownRows) {
  const std::int64_t first = firstRowOf(comm, ownRows);
  RowBlock rows;
  together(comm, [&] { rows = generated.makeRows(first, first + ownRows); });
  return rows;
}

Teuchos::RCP<const Matrix> makeA(const Teuchos::RCP<const Teuchos::Comm<int>>& teuchosComm, MPI_Comm comm,
                                 const Options& options) {
  std::optional<FileMatrix> file;
  GeneratedMatrix generated;
  if (options.matrix.empty())
    together(comm, [&] { generated = parseGenerator(options.generate); });
  else
    file.emplace(comm, options);
  const std::int64_t rows = file ? file->rows() : generated.rows;
  const std::int64_t cols = file ? file->cols() : generated.rows;
  if (options.op == "AA" && rows != cols)
    throw AgreedError(options.matrixName() + ": found " + std::to_string(rows) + " x " +
                      std::to_string(cols) + "; --op AA needs a square matrix; allowed here: --op AAt, AP");
  checkSize(comm, options.matrixName(), rows, cols);

  const Teuchos::RCP<const Map> rowMap = uniformMap(rows, teuchosComm);
  const Teuchos::RCP<const Map> domainMap = rows == cols ? rowMap : uniformMap(cols, teuchosComm);
  const auto ownRows = static_cast<std::int64_t>(localCount(*rowMap));
  return buildMatrix(rowMap, domainMap,
                     file ? file->distribute(ownRows) : generateRows(comm, generated, ownRows));
}

/// P has one column for each run of `aggregate` columns of A.
Teuchos::RCP<const Matrix> makeAggregation(MPI_Comm comm, const Teuchos::RCP<const Map>& columnsOfA,
                                           std::int64_t aggregate) {
  const auto rows = static_cast<std::int64_t>(columnsOfA->getGlobalNumElements());
  const std::int64_t aggregates = rows / aggregate + (rows % aggregate != 0 ? 1 : 0);
  const GeneratedMatrix P{rows, [=](std::int64_t first, std::int64_t last) {
                            return Trident::IO::aggregation(rows, aggregate, first, last);
                          }};
  return buildMatrix(columnsOfA, uniformMap(aggregates, columnsOfA->getComm()),
                     generateRows(comm, P, static_cast<std::int64_t>(localCount(*columnsOfA))));
}

}  // namespace

Problem makeProblem(const Teuchos::RCP<const Teuchos::Comm<int>>& teuchosComm, const Options& options) {
  const MPI_Comm comm = Tpetra::Details::extractMpiCommFromTeuchos(*teuchosComm);
  Problem problem;
  problem.A = makeA(teuchosComm, comm, options);
  problem.B = problem.A;
  problem.transposeB = options.op == "AAt";
  if (options.op == "AP") problem.B = makeAggregation(comm, problem.A->getDomainMap(), options.aggregate);
  return problem;
}

}  // namespace Spgemm
