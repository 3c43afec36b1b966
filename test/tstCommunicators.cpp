// Communicators are made once for each of the caller's, not for each product. The counts are taken where the
// library's calls pass: this program's MPI_Comm_split and its like stand before MPI's.

#include "TestModes.hpp"
#include "Trident_TripleMatrixMultiply.hpp"

namespace {
int made = 0;
}

extern "C" {
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  ++made;
  return PMPI_Comm_split(comm, color, key, newcomm);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* newcomm) {
  ++made;
  return PMPI_Comm_split_type(comm, type, key, info, newcomm);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  ++made;
  return PMPI_Comm_dup(comm, newcomm);
}
}

namespace Trident::Test {
namespace {

class Communicators : public EightRanks {
 protected:
  // One of each product, on a communicator of its own; how many communicators they made.
  int madeByProductsOn(const Comm& own) {
    const int before = made;
    const Sample sample(own, {}, Shape::random);
    const auto c = sample.newC();
    multiply(*sample.a, *sample.b, {}, *c, topologyParams("2", ""));
    const auto squareOf = buildMatrix(own, Shape::stencil, sample.rows, sample.rows, 3);
    const auto p = buildMatrix(own, Shape::random, sample.rows, sample.columns, 4);
    Matrix jacobi(squareOf->getRowMap(), 0), coarse(p->getDomainMap(), 0);
    Vector dinv(squareOf->getRowMap());
    dinv.putScalar(0.25);
    MatrixMatrix::Jacobi(Scalar(0.5), dinv, *squareOf, *p, jacobi, true, "test", topologyParams("2", ""));
    TripleMatrixMultiply::MultiplyRAP(*p, true, *squareOf, false, *p, false, coarse, true, "test",
                                      topologyParams("2", ""));
    return made - before;
  }
};

TEST_F(Communicators, AreMadeOnceForEachOfTheCallers) {
  MPI_Comm raw = MPI_COMM_NULL;
  PMPI_Comm_dup(mpiComm(comm), &raw);
  const Comm own = Teuchos::rcp(new Teuchos::MpiComm<int>(raw));
  EXPECT_GT(madeByProductsOn(own), 0);
  EXPECT_EQ(madeByProductsOn(own), 0);
  PMPI_Comm_free(&raw);
}

// As MueLu's repartitioning has it: fewer and fewer ranks multiply, and those that are out never do.
TEST_F(Communicators, SubcommunicatorsHaveTheirOwn) {
  for (const int ranks : {8, 4, 2, 1}) {
    MPI_Comm raw = MPI_COMM_NULL;
    PMPI_Comm_split(mpiComm(comm), comm->getRank() < ranks ? 0 : MPI_UNDEFINED, 0, &raw);
    if (raw == MPI_COMM_NULL) continue;
    const Comm own = Teuchos::rcp(new Teuchos::MpiComm<int>(raw));
    madeByProductsOn(own);
    EXPECT_EQ(madeByProductsOn(own), 0) << ranks << " ranks";
    PMPI_Comm_free(&raw);
  }
}

}  // namespace
}  // namespace Trident::Test
