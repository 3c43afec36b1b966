#ifndef TRIDENT_SPGEMM_FILEMATRIX_HPP
#define TRIDENT_SPGEMM_FILEMATRIX_HPP

#include <mpi.h>

#include <cstdint>
#include <string>

#include "Options.hpp"
#include "io/Trident_Generators.hpp"
#include "io/Trident_Triplets.hpp"

namespace Spgemm {

/// A matrix of a file: its size everywhere, its entries on rank 0 until they are handed out.
class FileMatrix {
 public:
  /// Collective. Rank 0 reads the file and prints the reader's warnings to stderr. Throws AgreedError when it
  /// cannot be read or holds complex numbers.
  FileMatrix(MPI_Comm comm, const Options& options);

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }

  /// Collective. Gives each rank its rows, `ownRows` of them in rank order, and frees rank 0's copy.
  Trident::IO::RowBlock distribute(std::int64_t ownRows);

 private:
  MPI_Comm comm_;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  Trident::IO::TripletMatrix all_;
};

}  // namespace Spgemm

#endif
