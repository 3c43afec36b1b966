#ifndef TRIDENT_MESSAGE_REQUEST_QUEUE_HPP
#define TRIDENT_MESSAGE_REQUEST_QUEUE_HPP

#include <list>

#include "exchange/Trident_RequestQueue.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {

/// Requests as small messages, where the MPI has no windows across nodes. MPI holds what has not been taken,
/// a bounded number of rounds from each rank.
class MessageRequestQueue : public RequestQueue {
 public:
  explicit MessageRequestQueue(const Context& context) : comm_(context.comm()) {}
  ~MessageRequestQueue() override;

  void put(int owner, Operand operand, const TileRequest& request, Waiting& waiting) override;
  bool take(Operand operand, TileRequest& request) override;
  const char* name() const override { return "messages"; }

 private:
  struct Sending {
    TileRequest request;
    MPI_Request handle;
  };

  MPI_Comm comm_;
  std::list<Sending> sending_;
};

}  // namespace Trident

#endif
