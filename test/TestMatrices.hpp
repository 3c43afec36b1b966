#ifndef TRIDENT_TEST_MATRICES_HPP
#define TRIDENT_TEST_MATRICES_HPP

#include <Teuchos_Comm.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace Trident::Test {

using Matrix = Tpetra::CrsMatrix<>;
using Map = Matrix::map_type;
using Vector = Tpetra::Vector<>;
using Scalar = Matrix::scalar_type;
using LO = Matrix::local_ordinal_type;
using GO = Matrix::global_ordinal_type;
using Comm = Teuchos::RCP<const Teuchos::Comm<int>>;

/// A number in [-1, 1] that depends on the arguments only.
double valueAt(std::int64_t row, std::int64_t column, unsigned seed);

/// Who owns which of n positions, and in which local order.
enum class Spread {
  uniform,     ///< Tpetra's own uniform contiguous map
  uneven,      ///< contiguous, sizes differ much, every third rank empty
  oneRank,     ///< everything on the middle rank
  cyclic,      ///< position p on rank p % P
  roundAbout,  ///< cyclic from the last rank down, in descending local order
  shuffled     ///< random owner, random local order
};

/// One dimension of a matrix: its size, how its positions 0 .. size-1 are named by global indices, and where
/// they lie.
struct Axis {
  std::int64_t size = 0;
  Spread spread = Spread::uniform;
  GO offset = 0;  ///< position p has the global index offset + stride * p; offset is the index base too
  GO stride = 1;

  GO gid(std::int64_t position) const { return offset + stride * static_cast<GO>(position); }
  std::vector<int> owners(int ranks) const;
  Teuchos::RCP<const Map> map(const Comm& comm) const;
};

enum class Shape {
  random,        ///< about six entries a row
  sparseRandom,  ///< about one entry a row: many rows empty
  tridiagonal,
  stencil,        ///< five-point stencil on a grid as square as can be
  blockDiagonal,  ///< couples only indices that lie on the same rank
  denseRow,       ///< random, and one full row
  denseColumn,    ///< random, and one full column
  emptyRows,      ///< random, but two thirds of the rows and a third of the columns are empty
  empty,          ///< no entry at all
  dense,
  diagonal,
  explicitZeros,  ///< random, a third of the stored values is zero
  farBand,        ///< neighbours and the index half the matrix away
  hugeEntry       ///< random, and one value of 1e150
};
const char* name(Shape shape);

/// How the column map of a matrix comes about.
enum class Columns {
  fitted,    ///< Tpetra makes it: owned first
  odd,       ///< given: needed columns and an unneeded one, in random order, not fitted to the domain map
  unsorted,  ///< odd, and the entries of each row are not sorted by local column either
};

/// The matrix of this shape, filled in and complete. Its entries depend on shape, axes' sizes and names, and
/// seed only (blockDiagonal: on the axes' owners too). Its range map is `range` where given, else its row
/// map.
Teuchos::RCP<Matrix> buildMatrix(const Comm& comm, Shape shape, const Axis& rows, const Axis& columns,
                                 unsigned seed, Columns style = Columns::fitted,
                                 const Teuchos::RCP<const Map>& range = Teuchos::null);

}  // namespace Trident::Test

#endif
