#ifndef TRIDENT_IO_MATRIXFILE_HPP
#define TRIDENT_IO_MATRIXFILE_HPP

#include <string>

#include "io/Trident_MatrixMarket.hpp"
#include "io/Trident_Triplets.hpp"

namespace Trident::IO {

/// The value of the programs' option --symmetric-duplicates: "sum", "max" or, for all other words, reject.
SymmetricDuplicates symmetricDuplicatesOf(const std::string& word);

/// Reads a file as the example programs take it: MatrixMarket when the name ends in .mtx or .mtx.gz or the
/// file starts with the banner, mcl's labels when it ends in .abc or .abc.gz, else an edge list with ids.
///
/// Throws std::runtime_error when it cannot be read or holds complex values; where a symmetric file has
/// entries in both triangles the text names --symmetric-duplicates.
TripletMatrix readMatrixFile(const std::string& path, SymmetricDuplicates duplicates);

}  // namespace Trident::IO

#endif
