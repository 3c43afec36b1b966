// An application that knows nothing of Trident: it is compiled against Trilinos alone. Makes every kind of
// product that the preload library replaces, and checks each with random vectors: C x against A (B x).
//
// Prints, on rank 0, "preloaded active", "preloaded inactive" or "not preloaded", the LD_PRELOAD that a
// program started by it would have, and last "products right" or what is wrong. With the argument "handback"
// it makes products that Trident leaves to Tpetra instead.
#include <dlfcn.h>

#include <TpetraExt_MatrixMatrix.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>
#include <Tpetra_Vector.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using Matrix = Tpetra::CrsMatrix<>;
using Map = Tpetra::Map<>;
using Vector = Tpetra::Vector<>;
using Scalar = Matrix::scalar_type;
using GlobalOrdinal = Matrix::global_ordinal_type;
using Teuchos::RCP;
using Teuchos::rcp;

constexpr GlobalOrdinal side = 40;  // of the grid whose points are the rows
constexpr GlobalOrdinal points = side * side;

// Reproducible values without structure, the same on any number of ranks.
Scalar valueAt(GlobalOrdinal row, GlobalOrdinal column, int seed) {
  return 1.5 + std::sin(static_cast<double>(3 * row + 7 * column + seed));
}

// A five-point stencil, not symmetric in its values nor, at the right border, in its pattern.
RCP<Matrix> stencil(const RCP<const Map>& rows, int seed) {
  auto A = rcp(new Matrix(rows, 5));
  for (GlobalOrdinal row = rows->getMinGlobalIndex(); row <= rows->getMaxGlobalIndex(); ++row) {
    std::vector<GlobalOrdinal> columns{row};
    if (row % side > 0) columns.push_back(row - 1);
    if (row % side < side - 2) columns.push_back(row + 1);
    if (row >= side) columns.push_back(row - side);
    if (row + side < points) columns.push_back(row + side);
    std::vector<Scalar> values;
    for (const GlobalOrdinal column : columns) values.push_back(valueAt(row, column, seed));
    A->insertGlobalValues(row, static_cast<int>(columns.size()), values.data(), columns.data());
  }
  A->fillComplete();
  return A;
}

// Every four rows of a rank make one column of that rank.
RCP<Matrix> aggregation(const RCP<const Map>& rows) {
  const GlobalOrdinal first = rows->getMinGlobalIndex();
  const GlobalOrdinal end = rows->getMaxGlobalIndex() + 1;
  const auto own = static_cast<size_t>((end - first + 3) / 4);
  const RCP<const Map> columns =
      rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), own, 0, rows->getComm()));
  auto P = rcp(new Matrix(rows, 1));
  for (GlobalOrdinal row = first; row < end; ++row) {
    const GlobalOrdinal column = columns->getMinGlobalIndex() + (row - first) / 4;
    const Scalar value = valueAt(row, column, 11);
    P->insertGlobalValues(row, 1, &value, &column);
  }
  P->fillComplete(columns, rows);
  return P;
}

Vector applied(const Matrix& A, const Vector& x, bool transposed = false) {
  Vector y(transposed ? A.getDomainMap() : A.getRangeMap());
  A.apply(x, y, transposed ? Teuchos::TRANS : Teuchos::NO_TRANS);
  return y;
}

// The same numbers wherever an index lies, and on all ranks that have it.
Vector randomVector(const RCP<const Map>& map) {
  Vector x(map);
  for (size_t l = 0; l < x.getLocalLength(); ++l) {
    const auto local = static_cast<Map::local_ordinal_type>(l);
    std::mt19937_64 engine(static_cast<std::uint64_t>(map->getGlobalElement(local)) + 1);
    x.replaceLocalValue(local, std::uniform_real_distribution<>(-1, 1)(engine));
  }
  return x;
}

// Prints what is wrong, on rank 0. `expected` is what C should make of a vector.
bool check(const char* what, const Matrix& C, const std::function<Vector(const Vector&)>& expected) {
  const Vector x = randomVector(C.getDomainMap());
  const Vector wanted = expected(x);
  Vector difference = applied(C, x);
  difference.update(-1.0, wanted, 1.0);
  const double error = difference.norm2() / wanted.norm2();
  const bool right = error < 1e-12;
  if (!right && C.getComm()->getRank() == 0) std::printf("%s is wrong, relative error %g\n", what, error);
  return right;
}

bool multiplies(const RCP<const Map>& rows) {
  const RCP<Matrix> A = stencil(rows, 1);
  const RCP<Matrix> B = stencil(rows, 2);
  Matrix C(rows, 0);
  Tpetra::MatrixMatrix::Multiply(*A, false, *B, false, C, true, "application: new");
  bool right = check("A B", C, [&](const Vector& x) { return applied(*A, applied(*B, x)); });

  const RCP<Matrix> newA = stencil(rows, 3);
  Tpetra::MatrixMatrix::Multiply(*newA, false, *B, false, C, true, "application: again");
  right &= check("new A B", C, [&](const Vector& x) { return applied(*newA, applied(*B, x)); });

  Matrix D(rows, 0);
  Tpetra::MatrixMatrix::Multiply(*A, true, *B, false, D, true, "application: transposed");
  right &= check("A^T B", D, [&](const Vector& x) { return applied(*A, applied(*B, x), true); });
  return right;
}

bool smoothsColumns(const Matrix& A, const Matrix& P) {
  const Scalar omega = 0.7;
  Vector inverse(A.getRowMap());
  A.getLocalDiagCopy(inverse);
  inverse.reciprocal(inverse);
  Matrix C(A.getRowMap(), 0);
  Tpetra::MatrixMatrix::Jacobi(omega, inverse, A, P, C, true, "application: Jacobi");
  return check("Jacobi", C, [&](const Vector& x) {
    Vector y = applied(P, x);
    const Vector z = applied(A, y);
    y.elementWiseMultiply(-omega, inverse, z, 1.0);
    return y;
  });
}

bool smooths(const RCP<const Map>& rows) {
  const RCP<Matrix> A = stencil(rows, 4);
  const RCP<Matrix> P = aggregation(rows);
  return smoothsColumns(*A, *P);
}

bool coarsens(const RCP<const Map>& rows) {
  const RCP<Matrix> A = stencil(rows, 5);
  const RCP<Matrix> P = aggregation(rows);
  const RCP<Matrix> R = Tpetra::RowMatrixTransposer<>(P).createTranspose();
  const auto expected = [&](const Vector& x) { return applied(*P, applied(*A, applied(*P, x)), true); };
  Matrix implicit(P->getDomainMap(), 0);
  Tpetra::TripleMatrixMultiply::MultiplyRAP(*P, true, *A, false, *P, false, implicit, true,
                                            "application: implicit");
  Matrix explicitly(R->getRowMap(), 0);
  Tpetra::TripleMatrixMultiply::MultiplyRAP(*R, false, *A, false, *P, false, explicitly, true,
                                            "application: explicit");
  return check("P^T A P", implicit, expected) & check("R A P", explicitly, expected);
}

// A map that gives all columns to every rank is not for Trident; Tpetra takes it.
bool handsBack(const RCP<const Map>& rows) {
  const RCP<Matrix> A = stencil(rows, 6);
  const GlobalOrdinal width = 3;
  const RCP<const Map> columns =
      rcp(new Map(static_cast<Tpetra::global_size_t>(width), 0, rows->getComm(), Tpetra::LocallyReplicated));
  Matrix B(rows, 3);
  for (GlobalOrdinal row = rows->getMinGlobalIndex(); row <= rows->getMaxGlobalIndex(); ++row)
    for (GlobalOrdinal column = 0; column < width; ++column) {
      const Scalar value = valueAt(row, column, 7);
      B.insertGlobalValues(row, 1, &value, &column);
    }
  B.fillComplete(columns, rows);
  Matrix C(rows, 0);
  Tpetra::MatrixMatrix::Multiply(*A, false, B, false, C);
  const bool right =
      check("A B with replicated columns", C, [&](const Vector& x) { return applied(*A, applied(B, x)); });
  return smoothsColumns(*A, B) && right;
}

void tellOfPreload() {
  void* found = dlsym(RTLD_DEFAULT, "trident_is_active");
  const auto isActive = reinterpret_cast<int (*)()>(found);
  std::puts(isActive == nullptr ? "not preloaded"
            : isActive() == 1   ? "preloaded active"
                                : "preloaded inactive");
  std::fflush(stdout);
  if (std::system("echo \"child LD_PRELOAD=$LD_PRELOAD\"") != 0) std::puts("no shell");
}

}  // namespace

int main(int argc, char** argv) {
  Tpetra::ScopeGuard scope(&argc, &argv);
  const auto comm = Tpetra::getDefaultComm();
  const bool speaks = comm->getRank() == 0;
  if (speaks) tellOfPreload();
  bool right = true;
  try {
    const RCP<const Map> rows = rcp(new Map(static_cast<Tpetra::global_size_t>(points), 0, comm));
    if (argc > 1 && std::strcmp(argv[1], "handback") == 0)
      right = handsBack(rows);
    else
      right = static_cast<bool>(multiplies(rows) & smooths(rows) & coarsens(rows));
  } catch (const std::exception& error) {
    right = false;
    std::printf("exception on rank %d: %s\n", comm->getRank(), error.what());
  }
  if (speaks && right) std::puts("products right");
  return right ? 0 : 1;
}
