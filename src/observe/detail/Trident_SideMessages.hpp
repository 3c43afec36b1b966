#ifndef TRIDENT_SIDE_MESSAGES_HPP
#define TRIDENT_SIDE_MESSAGES_HPP

#include <mpi.h>

namespace Trident {
namespace detail {

/// Tags of what ranks tell each other when something goes wrong, beside the tags of the products' messages.
enum class SideTag : int { alarm = 1101, answer = 1102, failure = 1103 };

/// Takes one message from `source`, MPI_ANY_SOURCE included, if there is one; returns its source, or -1.
int takeOne(int source, MPI_Comm comm, SideTag tag, void* data, int bytes);

/// The same of one rank; whether there was one.
inline bool takeFrom(int rank, MPI_Comm comm, SideTag tag, void* data, int bytes) {
  return takeOne(rank, comm, tag, data, bytes) >= 0;
}

/// Sends without waiting for the end, which would take the other's receive. The buffer is never given back:
/// such messages are few, and the job mostly ends soon.
void sendAndForget(const void* data, int bytes, int rank, MPI_Comm comm, SideTag tag);

}  // namespace detail
}  // namespace Trident

#endif
