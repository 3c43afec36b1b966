#ifndef TRIDENT_AMG_PROBLEMS_HPP
#define TRIDENT_AMG_PROBLEMS_HPP

#include <string>

#include "Options.hpp"
#include "Types.hpp"

namespace Amg {

/// The problem that the options ask for. Collective. Throws std::runtime_error, on every rank, for a file
/// that cannot be read.
Problem makeProblem(const Comm& comm, const Options& options);

/// The Laplacian of the largest connected component of a file's graph, its absolute values as weights, and a
/// thousandth of the mean degree on the diagonal, so that it is positive definite. Every rank reads the file.
Problem graphLaplacian(const Comm& comm, const std::string& file);

}  // namespace Amg

#endif
