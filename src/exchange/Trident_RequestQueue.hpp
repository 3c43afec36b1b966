#ifndef TRIDENT_REQUEST_QUEUE_HPP
#define TRIDENT_REQUEST_QUEUE_HPP

#include <cstdint>

#include "observe/Trident_Waiting.hpp"

namespace Trident {

/// The matrix whose tile is asked for: each has a queue and a sender of its own.
enum class Operand { A, B };

/// "Send me your tile": what a rank puts into the queue of the rank that holds it (paper, section 4.1).
struct TileRequest {
  std::int32_t source;   ///< rank that asks
  std::int32_t tile;     ///< base block r, of B in panel p: p*Q + r
  std::int32_t filter;   ///< TileFilter: which rows, as both ranks know them
  std::int32_t product;  ///< number of the product on the communicator
};

/// The queues of requests on all ranks of a communicator, one a rank and operand.
///
/// Requests of one rank come out in the order in which it put them in.
class RequestQueue {
 public:
  RequestQueue() = default;
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;
  virtual ~RequestQueue() = default;

  /// Puts a request into the queue of `owner`, waiting as long as that is full. Main thread.
  virtual void put(int owner, Operand operand, const TileRequest& request, Waiting& waiting) = 0;

  /// Takes the oldest request of this rank's own queue; false if it is empty. One thread an operand.
  virtual bool take(Operand operand, TileRequest& request) = 0;

  /// "RMA" or "messages".
  virtual const char* name() const = 0;
};

}  // namespace Trident

#endif
