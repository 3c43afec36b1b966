#include "Agreement.hpp"

namespace Spgemm {

void agree(MPI_Comm comm, const std::string& error) {
  const int ranks = sizeOf(comm);
  int first = error.empty() ? ranks : rankIn(comm);
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == ranks) return;
  std::string text = error;
  auto length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, first, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, first, comm);
  throw AgreedError(text);
}

int rankIn(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int sizeOf(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

std::int64_t sumOverRanks(MPI_Comm comm, std::int64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, comm);
  return value;
}

std::int64_t maxOverRanks(MPI_Comm comm, std::int64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, comm);
  return value;
}

double maxOverRanks(MPI_Comm comm, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm);
  return value;
}

std::vector<std::int64_t> gatherFromRanks(MPI_Comm comm, std::int64_t value) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(sizeOf(comm)));
  std::int64_t* const all = values.data();
  MPI_Allgather(&value, 1, MPI_INT64_T, all, 1, MPI_INT64_T, comm);
  return values;
}

std::vector<std::int64_t> sumOverRanks(MPI_Comm comm, std::vector<std::int64_t> values) {
  std::int64_t* const sums = values.data();
  MPI_Allreduce(MPI_IN_PLACE, sums, static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM, comm);
  return values;
}

}  // namespace Spgemm
