#include "FileMatrix.hpp"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include "Agreement.hpp"
#include "io/Trident_EdgeList.hpp"
#include "io/Trident_MatrixMarket.hpp"

namespace Spgemm {

namespace {

namespace IO = Trident::IO;

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The first bytes of a plain or gzip file in lower case; empty if there are none.
std::string firstBytes(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  std::string bytes(32, '\0');
  const int count = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  bytes.resize(static_cast<std::size_t>(std::max(count, 0)));
  std::transform(bytes.begin(), bytes.end(), bytes.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return bytes;
}

/// By name, so that an .mtx file without a banner is refused, not read as edges; else by the banner.
bool isMatrixMarket(const std::string& path) {
  if (endsWith(path, ".mtx") || endsWith(path, ".mtx.gz")) return true;
  const std::string start = firstBytes(path);
  return start.substr(0, 20).find("%matrixmarket") != std::string::npos;
}

/// The reader knows what is wrong with a symmetric file, but not the name of our option.
IO::TripletMatrix readMatrixMarketFile(const std::string& path, const IO::ReadOptions& reading) {
  try {
    return IO::readMatrixMarket(path, reading);
  } catch (const std::runtime_error& e) {
    const std::string text = e.what();
    if (text.find("both triangles") == std::string::npos) throw;
    throw std::runtime_error(text + " of --symmetric-duplicates");
  }
}

IO::TripletMatrix readFile(const Options& options) {
  const std::string& path = options.matrix;
  if (!isMatrixMarket(path)) {
    const bool labels = endsWith(path, ".abc") || endsWith(path, ".abc.gz");
    return IO::readEdgeList(path, labels ? IO::EdgeListOptions::abc() : IO::EdgeListOptions());
  }
  IO::ReadOptions reading;
  if (options.symmetricDuplicates == "sum") reading.symmetricDuplicates = IO::SymmetricDuplicates::sum;
  if (options.symmetricDuplicates == "max") reading.symmetricDuplicates = IO::SymmetricDuplicates::max;
  IO::TripletMatrix matrix = readMatrixMarketFile(path, reading);
  if (matrix.field == "complex")
    throw std::runtime_error(path +
                             ": found complex values; this program multiplies real matrices; allowed: "
                             "real, integer, pattern");
  return matrix;
}

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
    if (reads) all_ = readFile(options);
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
