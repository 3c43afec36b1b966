// The smallest user of an installed Trident: squares the matrix tridiag(-1, 2, -1), again with the values
// kept, and cubes it without leaving tiles. Checks the middle row of the square, (1, -4, 6, -4, 1), and the
// cube's size.
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <cstdio>

#include "Trident_MatrixMatrix.hpp"
#include "Trident_Product.hpp"
#include "Trident_TiledMatrix.hpp"

namespace {

using Matrix = Tpetra::CrsMatrix<>;
using Map = Tpetra::Map<>;
using Scalar = Matrix::scalar_type;
using GlobalOrdinal = Matrix::global_ordinal_type;

Teuchos::RCP<Matrix> tridiagonal(const Teuchos::RCP<const Map>& rows) {
  const auto n = static_cast<GlobalOrdinal>(rows->getGlobalNumElements());
  auto matrix = Teuchos::rcp(new Matrix(rows, 3));
  for (GlobalOrdinal row = rows->getMinGlobalIndex(); row <= rows->getMaxGlobalIndex(); ++row) {
    for (GlobalOrdinal column = row - 1; column <= row + 1; ++column) {
      if (column < 0 || column >= n) continue;
      const Scalar value = column == row ? 2 : -1;
      matrix->insertGlobalValues(row, 1, &value, &column);
    }
  }
  matrix->fillComplete();
  return matrix;
}

}  // namespace

int main(int argc, char** argv) {
  Tpetra::ScopeGuard scope(&argc, &argv);
  const GlobalOrdinal n = 100;
  const GlobalOrdinal middle = n / 2;
  const Teuchos::RCP<const Map> rows =
      Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(n), 0, Tpetra::getDefaultComm()));
  const Teuchos::RCP<Matrix> a = tridiagonal(rows);
  Matrix c(rows, 5);
  Trident::MatrixMatrix::Multiply(*a, false, *a, false, c);
  Trident::Product<> product(*a, false, *a, false);
  product.execute(*a, *a);
  const auto cube = Trident::multiplyTiled(Trident::multiplyTiled(*a, *a), *a).toCrsMatrix();
  const bool sizesRight =
      product.result()->getGlobalNumEntries() == 5 * 100 - 6 && cube->getGlobalNumEntries() == 7 * 100 - 12;

  if (!rows->isNodeGlobalElement(middle)) return 0;
  Matrix::nonconst_global_inds_host_view_type columns("columns", 5);
  Matrix::nonconst_values_host_view_type values("values", 5);
  size_t entries = 0;
  c.getGlobalRowCopy(middle, columns, values, entries);
  const double expected[] = {1, -4, 6, -4, 1};
  bool right = entries == 5 && sizesRight;
  for (size_t e = 0; right && e < entries; ++e) {
    const GlobalOrdinal offset = columns(e) - middle + 2;
    right = offset >= 0 && offset < 5 && values(e) == expected[offset];
  }
  std::printf(right ? "row %lld of the square is right\n" : "row %lld of the square is WRONG\n",
              static_cast<long long>(middle));
  return right ? 0 : 1;
}
