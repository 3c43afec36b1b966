#ifndef TRIDENT_RMA_REQUEST_QUEUE_HPP
#define TRIDENT_RMA_REQUEST_QUEUE_HPP

#include <array>

#include "exchange/Trident_RequestQueue.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {

/// The request queues of the paper (section 4.1): rings in memory that every rank may reach by RMA, passive
/// target.
///
/// A rank draws a ticket from the owner's ring (MPI_Fetch_and_op), waits until the slot of that number has
/// been emptied, writes the request (MPI_Put) and stamps the slot with the ticket. The owner takes slots in
/// the order of their tickets and moves the ring's head: no unserved request is ever overwritten.
class RmaRequestQueue : public RequestQueue {
 public:
  /// Makes the windows; valid() is false on all ranks if the MPI refuses them, with the reason in refusal().
  /// Collective over the context's communicator. `slots` a ring, the same on all ranks.
  RmaRequestQueue(const Context& context, int slots);
  ~RmaRequestQueue() override;

  bool valid() const { return refusal_.empty(); }
  const std::string& refusal() const { return refusal_; }

  void put(int owner, Operand operand, const TileRequest& request, Waiting& waiting) override;
  bool take(Operand operand, TileRequest& request) override;
  const char* name() const override { return "RMA"; }

 private:
  using Word = std::int64_t;

  // One rank's ring: words as the windows hold them.
  struct Ring {
    MPI_Win window = MPI_WIN_NULL;
    Word* words = nullptr;
    Word taken = 0;  // by this rank, of its own ring
  };

  std::string makeWindow(Ring& ring);
  Word slotOf(Word ticket) const;
  static Word fetch(const Ring& ring, int rank, Word at);
  static Word fetchAndAdd(const Ring& ring, int rank, Word at, Word value);
  static void store(const Ring& ring, int rank, Word at, Word value);

  const Context& context_;
  int slots_;
  std::array<Ring, 2> rings_;
  std::string refusal_;
};

}  // namespace Trident

#endif
