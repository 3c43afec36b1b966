#include "exchange/Trident_MessageRequestQueue.hpp"

#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

constexpr int tagOfRequest = 1010;  // of A; that of B follows

int tagOf(Operand operand) { return tagOfRequest + static_cast<int>(operand); }

}  // namespace

MessageRequestQueue::~MessageRequestQueue() {
  for (Sending& message : sending_) MPI_Wait(&message.handle, MPI_STATUS_IGNORE);
}

void MessageRequestQueue::put(int owner, Operand operand, const TileRequest& request, Waiting&) {
  sending_.remove_if([](Sending& message) {
    int done = 0;
    checkMpi(MPI_Test(&message.handle, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
  sending_.push_back({request, MPI_REQUEST_NULL});
  Sending& message = sending_.back();
  checkMpi(MPI_Isend(&message.request, sizeof(TileRequest), MPI_BYTE, owner, tagOf(operand), comm_,
                     &message.handle),
           "MPI_Isend");
}

bool MessageRequestQueue::take(Operand operand, TileRequest& request) {
  int here = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  checkMpi(MPI_Improbe(MPI_ANY_SOURCE, tagOf(operand), comm_, &here, &message, MPI_STATUS_IGNORE),
           "MPI_Improbe");
  if (here == 0) return false;
  checkMpi(MPI_Mrecv(&request, sizeof(TileRequest), MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  return true;
}

}  // namespace Trident
