#include "observe/detail/Trident_SideMessages.hpp"

#include <vector>

namespace Trident {
namespace detail {

int takeOne(int source, MPI_Comm comm, SideTag tag, void* data, int bytes) {
  int here = 0;
  MPI_Status status;
  MPI_Iprobe(source, static_cast<int>(tag), comm, &here, &status);
  if (here == 0) return -1;
  MPI_Recv(data, bytes, MPI_BYTE, status.MPI_SOURCE, static_cast<int>(tag), comm, MPI_STATUS_IGNORE);
  return status.MPI_SOURCE;
}

void sendAndForget(const void* data, int bytes, int rank, MPI_Comm comm, SideTag tag) {
  const auto* from = static_cast<const char*>(data);
  auto* kept = new std::vector<char>(from, from + bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(kept->data(), bytes, MPI_BYTE, rank, static_cast<int>(tag), comm, &request);
  MPI_Request_free(&request);
}

}  // namespace detail
}  // namespace Trident
