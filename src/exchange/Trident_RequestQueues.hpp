#ifndef TRIDENT_REQUEST_QUEUES_HPP
#define TRIDENT_REQUEST_QUEUES_HPP

#include <array>
#include <deque>
#include <memory>
#include <string>

#include "exchange/Trident_MessageRequestQueue.hpp"
#include "exchange/Trident_RmaRequestQueue.hpp"

namespace Trident {

/// What the MPI can do for request queues on one communicator, tried out once, and the queues themselves.
///
/// RMA queues are used where MPI was started with MPI_THREAD_MULTIPLE, makes windows on the communicator, and
/// brings requests to a rank whose main thread computes, with the right values and within a time limit. Where
/// it does not, requests are messages; without MPI_THREAD_MULTIPLE the main thread serves them in its waits
/// and between pieces of its work. TRIDENT_QUEUE_SLOTS is the number of slots of a rank's ring (default 64).
///
/// Made as an attachment of a context: collective over its communicator.
class RequestQueues {
 public:
  explicit RequestQueues(const Context& context);

  /// The queues to use; `messages` asks for those that need no windows.
  RequestQueue& queue(bool messages);

  /// Whether threads of their own may serve requests.
  bool threads() const { return threads_; }

  /// Why RMA is not used; empty if it is.
  const std::string& refusal() const { return refusal_; }

  /// Numbers products, the same on all ranks.
  std::int32_t nextProduct() { return ++product_; }

  /// Requests for products that this rank has not begun. One thread an operand.
  std::deque<TileRequest>& early(Operand operand) { return early_[static_cast<std::size_t>(operand)]; }

 private:
  std::string tryRma(const Context& context);

  bool threads_ = false;
  std::unique_ptr<RmaRequestQueue> rma_;
  MessageRequestQueue messages_;
  std::string refusal_;
  std::int32_t product_ = 0;
  std::array<std::deque<TileRequest>, 2> early_;
};

}  // namespace Trident

#endif
