#ifndef TRIDENT_TEST_PRODUCTS_HPP
#define TRIDENT_TEST_PRODUCTS_HPP

#include <mpi.h>

#include <Teuchos_ParameterList.hpp>
#include <string>
#include <vector>

#include "TestMatrices.hpp"
#include "reference/Trident_Reference.hpp"

namespace Trident::Test {

using ReferenceMatrix = Reference::Matrix<Scalar>;

MPI_Comm mpiComm(const Comm& comm);

/// The whole matrix by global indices, on every rank. Collective.
ReferenceMatrix gathered(const Matrix& a);

struct Op {
  bool transposeA = false, transposeB = false;
};
std::string name(const Op& op);

/// What a product must give: its entries, and (|A||B|)_ij, to which rounding errors are proportional.
struct Expected {
  ReferenceMatrix product, bound;
};

/// The serial product with Tpetra's pattern rule: zeros stored in A do not count. Collective.
Expected expectedProduct(const Matrix& a, const Matrix& b, const Op& op);

struct ProductMaps {
  Teuchos::RCP<const Map> row, domain, range;
};
ProductMaps productMaps(const Matrix& a, const Matrix& b, const Op& op);

// The checks return what is wrong, an empty text if nothing is. All ranks must make the same calls.

/// Every row of C against the serial product: same pattern, values within 64 eps (|A||B|)_ij.
std::string differenceToReference(const Matrix& c, const Expected& expected);

/// Every row of C against another result by global indices; with no `expected` values need be equal.
std::string differenceTo(const Matrix& other, const Matrix& c, const Expected* expected);

struct Promises {
  bool globalConstants = true;
  bool fittedColumns =
      true;  ///< not if the caller had Tpetra make the column map: it leaves out unused columns
};

/// What Tpetra promises of a product: maps, fitted column map, importer, sorted rows, global constants.
std::string brokenPromises(const Matrix& c, const ProductMaps& maps, const Promises& promises = {});

/// C times a vector, against the serial product times the same vector: uses the importer.
std::string wrongApply(const Matrix& c, const Expected& expected);

/// Local arrays equal to the bit.
bool sameBits(const Matrix& a, const Matrix& b);

/// One text of every rank. Collective.
std::vector<std::string> textsOfAllRanks(MPI_Comm comm, const std::string& text);

}  // namespace Trident::Test

#endif
