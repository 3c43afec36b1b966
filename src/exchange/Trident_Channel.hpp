#ifndef TRIDENT_CHANNEL_HPP
#define TRIDENT_CHANNEL_HPP

#include <mpi.h>

#include <cstdint>
#include <random>
#include <vector>

#include "exchange/Trident_Ledger.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {

/// Whom a message goes to or comes from, and what it carries.
struct Route {
  int rank;
  Phase phase;
  Kind kind;
};

/// Everything but values that a rank received in one product, in the order in which it was asked for. With
/// it, the same product of other values sends values only.
class Recording {
 public:
  /// What the next receive of a replay gets. Throws std::logic_error if it is not `bytes` long.
  void replay(void* data, std::int64_t bytes);

  /// Replays from the beginning.
  void rewind() { next_ = 0; }

  std::size_t reserve(std::int64_t bytes);
  void keep(std::size_t slot, const void* data);

 private:
  std::vector<std::vector<char>> arrays_;
  std::size_t next_ = 0;
};

/// Messages of one product: non-blocking sends and receives of arrays, cut to a greatest message size and
/// entered in the ledger.
///
/// Between two ranks, messages of one phase and kind match in the order in which they are posted. Pointers
/// may be device pointers if MPI takes them and nothing is recorded.
class Channel {
 public:
  /// Messages under way, and what is to be recorded of them.
  class Requests {
   public:
    Requests() = default;

   private:
    friend class Channel;
    struct Arriving {
      Recording* recording;
      std::size_t slot;
      const void* data;
    };
    void finish();

    std::vector<MPI_Request> open_;
    std::vector<Arriving> arriving_;
  };

  enum class Mode { plain, record, replay };

  struct Options {
    std::int64_t maxMessageBytes = std::int64_t{1} << 30;  ///< longer arrays travel in several messages
    int delaySeed = 0;  ///< for tests: not 0 makes this rank sleep at random protocol steps
  };

  Channel(Context& context, const Options& options, Ledger& ledger);

  /// A channel like this one for another thread, with a ledger of its own and other delays.
  Channel withLedger(Ledger& ledger, int salt) const;

  Context& context() const { return *context_; }
  Ledger& ledger() { return *ledger_; }

  /// From here on: `record` keeps in `recording` what is received but values; `replay` takes that from there
  /// and sends and receives nothing but values. On all ranks alike; the recording must outlive the channel.
  void setMode(Mode mode, Recording& recording);

  Link linkTo(int rank) const;

  /// Posts the send of `count` elements of `size` bytes; the array must stay as it is until `requests` is
  /// done.
  void send(const void* data, std::int64_t count, std::size_t size, const Route& to, Requests& requests);

  /// Posts the matching receive.
  void receive(void* data, std::int64_t count, std::size_t size, const Route& from, Requests& requests);

  /// Enters a tile that arrives from `rank` in the ledger.
  void countTile(int rank, Phase phase, std::int64_t rows, std::int64_t entries);

  /// Waits for all and empties the list. `what` is what the watchdog calls them.
  static void wait(Requests& requests, const char* what = "messages");

  /// Drives MPI's progress without waiting. Whether all are complete; the list is then empty.
  static bool test(Requests& requests);

  /// A place where a rank may be late: sleeps up to a millisecond if a delay seed was given.
  void protocolStep();

 private:
  Context* context_;
  Options options_;
  Ledger* ledger_;
  std::minstd_rand random_;
  Mode mode_ = Mode::plain;
  Recording* recording_ = nullptr;
};

}  // namespace Trident

#endif
