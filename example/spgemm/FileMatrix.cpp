#include "FileMatrix.hpp"

#include <algorithm>
#include <iostream>

#include "Agreement.hpp"
#include "io/Trident_MatrixFile.hpp"

namespace Spgemm {

namespace {

namespace IO = Trident::IO;

/// Cuts the entries on rank 0 at the places of `firstOf` (one more than there are ranks) and returns this
/// rank's. Sends are split, for MPI counts with an int.
template <class T>
std::vector<T> scatter(MPI_Comm comm, const std::vector<T>& all, const std::vector<std::int64_t>& firstOf,
                       MPI_Datatype type) {
  constexpr std::int64_t most = std::int64_t(1) << 27;
  const int rank = rankIn(comm);
  const auto pieces = [&](int r, auto&& move) {
    const std::int64_t count = firstOf[r + 1] - firstOf[r];
    for (std::int64_t k = 0; k < count; k += most) move(k, static_cast<int>(std::min(most, count - k)));
  };
  if (rank == 0) {
    for (int r = 1; r < sizeOf(comm); ++r)
      pieces(r, [&](std::int64_t k, int n) { MPI_Send(all.data() + firstOf[r] + k, n, type, r, 0, comm); });
    return {all.begin(), all.begin() + firstOf[1]};
  }
  std::vector<T> own(static_cast<std::size_t>(firstOf[rank + 1] - firstOf[rank]));
  pieces(rank,
         [&](std::int64_t k, int n) { MPI_Recv(own.data() + k, n, type, 0, 0, comm, MPI_STATUS_IGNORE); });
  return own;
}

}  // namespace

FileMatrix::FileMatrix(MPI_Comm comm, const Options& options) : comm_(comm) {
  const bool reads = rankIn(comm) == 0;
  together(comm, [&] {
    if (reads)
      all_ = IO::readMatrixFile(options.matrix, IO::symmetricDuplicatesOf(options.symmetricDuplicates));
  });
  for (const std::string& warning : all_.warnings)
    std::cerr << "warning: " << options.matrix << ": " << warning << '\n';
  std::int64_t size[2] = {all_.rows, all_.cols};
  MPI_Bcast(size, 2, MPI_INT64_T, 0, comm);
  rows_ = size[0];
  cols_ = size[1];
}

IO::RowBlock FileMatrix::distribute(std::int64_t ownRows) {
  const std::vector<std::int64_t> rowsOf = gatherFromRanks(comm_, ownRows);
  const auto rank = static_cast<std::size_t>(rankIn(comm_));
  std::vector<std::int64_t> firstOf{0};  // in entries; right on rank 0, then broadcast
  IO::RowBlock block;
  std::int64_t nextRow = 0;
  for (std::size_t r = 0; r < rowsOf.size(); ++r) {
    if (r == rank) block.firstRow = nextRow;
    nextRow += rowsOf[r];
    firstOf.push_back(std::lower_bound(all_.row.begin(), all_.row.end(), nextRow) - all_.row.begin());
  }
  std::int64_t* const places = firstOf.data();
  MPI_Bcast(places, static_cast<int>(firstOf.size()), MPI_INT64_T, 0, comm_);

  const std::vector<std::int64_t> row = scatter(comm_, all_.row, firstOf, MPI_INT64_T);
  block.col = scatter(comm_, all_.col, firstOf, MPI_INT64_T);
  block.value = scatter(comm_, all_.value, firstOf, MPI_DOUBLE);
  all_ = {};
  block.rowPtr.assign(static_cast<std::size_t>(ownRows) + 1, 0);
  for (const std::int64_t r : row) ++block.rowPtr[static_cast<std::size_t>(r - block.firstRow) + 1];
  for (std::size_t k = 1; k < block.rowPtr.size(); ++k) block.rowPtr[k] += block.rowPtr[k - 1];
  return block;
}

}  // namespace Spgemm
