#include "Comparison.hpp"

#include <TpetraExt_MatrixMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "Agreement.hpp"

namespace Spgemm {

namespace {

using Entry = std::pair<GlobalOrdinal, double>;

/// Reads the rows of a matrix by global column, in ascending order.
class Rows {
 public:
  explicit Rows(const Matrix& matrix) : local_(matrix.getLocalMatrixHost()), columns_(*matrix.getColMap()) {}

  std::size_t count() const { return static_cast<std::size_t>(local_.numRows()); }

  void read(std::size_t row, std::vector<Entry>& entries) const {
    entries.clear();
    for (std::size_t k = local_.graph.row_map(row); k < local_.graph.row_map(row + 1); ++k)
      entries.emplace_back(columns_.getGlobalElement(local_.graph.entries(k)), local_.values(k));
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.first < b.first; });
  }

 private:
  Matrix::local_matrix_host_type local_;
  const Map& columns_;
};

Teuchos::RCP<const Matrix> absolute(const Matrix& matrix) {
  const auto copy = Teuchos::rcp(new Matrix(matrix, Teuchos::Copy));
  const auto values = copy->getLocalMatrixHost().values;
  for (std::size_t k = 0; k < values.extent(0); ++k) values(k) = std::abs(values(k));
  return copy;
}

/// |A| |op(B)|.
Teuchos::RCP<const Matrix> boundOf(const Problem& problem) {
  const auto absoluteA = absolute(*problem.A);
  const auto absoluteB = problem.B == problem.A ? absoluteA : absolute(*problem.B);
  const auto bound = Teuchos::rcp(new Matrix(problem.A->getRowMap(), 0));
  Tpetra::MatrixMatrix::Multiply(*absoluteA, false, *absoluteB, problem.transposeB, *bound);
  return bound;
}

double scaledError(double value, double reference, double bound) {
  if (value == reference || (std::isnan(value) && std::isnan(reference))) return 0;
  const double error = std::abs(value - reference) / bound / std::numeric_limits<double>::epsilon();
  return bound == 0 || !std::isfinite(bound) || std::isnan(error) ? std::numeric_limits<double>::infinity()
                                                                  : error;
}

bool samePattern(const std::vector<Entry>& a, const std::vector<Entry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Entry& x, const Entry& y) { return x.first == y.first; });
}

/// The largest error of the entries that both rows have; `bound` has the pattern of `reference`.
double rowError(const std::vector<Entry>& row, const std::vector<Entry>& reference,
                const std::vector<Entry>& bound) {
  double largest = 0;
  std::size_t k = 0;
  for (std::size_t r = 0; r < reference.size(); ++r) {
    while (k < row.size() && row[k].first < reference[r].first) ++k;
    if (k < row.size() && row[k].first == reference[r].first)
      largest = std::max(largest, scaledError(row[k].second, reference[r].second, bound[r].second));
  }
  return largest;
}

}  // namespace

Comparison compare(MPI_Comm comm, const Problem& problem, const Matrix& C, const Matrix& reference) {
  const Teuchos::RCP<const Matrix> bound = boundOf(problem);
  const Rows rowsOfC(C), rowsOfReference(reference), rowsOfBound(*bound);
  bool equal = true;
  double largest = 0;
  std::vector<Entry> row, referenceRow, boundRow;
  for (std::size_t r = 0; r < rowsOfC.count(); ++r) {
    rowsOfC.read(r, row);
    rowsOfReference.read(r, referenceRow);
    rowsOfBound.read(r, boundRow);
    equal = samePattern(row, referenceRow) && equal;
    largest = std::max(largest, rowError(row, referenceRow, boundRow));
  }
  Comparison comparison;
  comparison.patternEqual = sumOverRanks(comm, std::int64_t(equal ? 0 : 1)) == 0;
  comparison.maxScaledError = maxOverRanks(comm, largest);
  comparison.allowedError = static_cast<double>(problem.A->getGlobalMaxNumRowEntries());
  return comparison;
}

}  // namespace Spgemm
