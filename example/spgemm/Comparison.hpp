#ifndef TRIDENT_SPGEMM_COMPARISON_HPP
#define TRIDENT_SPGEMM_COMPARISON_HPP

#include <mpi.h>

#include "MatrixSource.hpp"
#include "Results.hpp"
#include "Types.hpp"

namespace Spgemm {

/// Collective. Compares two products with the same row map, row by row by global column.
///
/// The error of an entry is |C - reference| over (|A| |op(B)|) at its place, in units of eps = 2^-52: a sum
/// of k products, added up in any order, lies within k/2 of the true one, so two sums lie within k of each
/// other. NaN equals NaN and an infinity itself; other differences from a number that is not finite count as
/// infinite.
Comparison compare(MPI_Comm comm, const Problem& problem, const Matrix& C, const Matrix& reference);

}  // namespace Spgemm

#endif
