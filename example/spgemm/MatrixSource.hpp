#ifndef TRIDENT_SPGEMM_MATRIXSOURCE_HPP
#define TRIDENT_SPGEMM_MATRIXSOURCE_HPP

#include <Teuchos_Comm.hpp>

#include "Options.hpp"
#include "Types.hpp"

namespace Spgemm {

/// C = A * op(B) with rows dealt evenly to the ranks, as Tpetra's uniform contiguous map does.
struct Problem {
  Teuchos::RCP<const Matrix> A;
  Teuchos::RCP<const Matrix> B;
  bool transposeB = false;
};

/// Collective. Reads or generates A and makes the B that the operation asks for. Throws AgreedError when that
/// cannot be done.
Problem makeProblem(const Teuchos::RCP<const Teuchos::Comm<int>>& comm, const Options& options);

}  // namespace Spgemm

#endif
