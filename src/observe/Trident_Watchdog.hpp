#ifndef TRIDENT_WATCHDOG_HPP
#define TRIDENT_WATCHDOG_HPP

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace Trident {

/// What a rank waits for. Plain data, so that it can be sent to the rank that reports.
struct Awaited {
  const char* what = "";  ///< a literal: "a tile of B", "the ranks of its node"
  int from = -1;          ///< rank in the watched communicator; -1: several, or not known
  int i = -1;             ///< the tile (i, r, k) of A or (r, j, k) of B
  int j = -1;
  int r = -1;
  int k = -1;
};

/// Ends a job that stands still, and says what every rank waits for. Off unless TRIDENT_TIMEOUT is a positive
/// number of seconds; then every wait of Trident is a loop that looks at the clock.
///
/// A rank that has seen no progress for so long asks all ranks of its product what they wait for, prints the
/// answers and the cycle among them if there is one, and aborts the job. A rank that answers nothing is
/// computing, in a call that is not Trident's, or gone. Two ranks that raise the alarm at a time: the lower
/// one reports. One product of a process is watched at a time; its threads' waits do not count.
class Watchdog {
 public:
  /// Whether TRIDENT_TIMEOUT is set, in which case all waits go through waitFor().
  static bool on() { return seconds() > 0; }
  static double seconds();

  /// The rank's watchdog.
  static Watchdog& ofProcess();

  /// Watches the product that is done on `comm` until the scope ends. Scopes nest. Local.
  class Watched {
   public:
    explicit Watched(MPI_Comm comm);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

   private:
    MPI_Comm outer_ = MPI_COMM_NULL;
    bool active_ = false;
  };

  /// A wait of the main thread, from construction to destruction; the innermost is what is reported.
  class Wait {
   public:
    explicit Wait(const Awaited& awaited);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    Awaited outer_;
    bool active_ = false;
  };

  /// Called again and again by whoever waits: answers alarms, and raises one when it is time. Does not return
  /// if this rank has reported.
  void look();

  /// The innermost wait is for this rank now. Main thread.
  void waitsFor(int rank) { awaited_.from = rank; }

  /// Something has come on: the time begins anew. Any thread.
  void progressed() { steps_.fetch_add(1, std::memory_order_relaxed); }

  /// Requests for tiles that this rank has posted and served, for the report. Any thread.
  void countPosted(std::int64_t requests) { posted_.fetch_add(requests, std::memory_order_relaxed); }
  void countServed(std::int64_t requests) { served_.fetch_add(requests, std::memory_order_relaxed); }

 private:
  Watchdog() = default;

  bool answerAlarms();
  void raiseAlarm();

  MPI_Comm comm_ = MPI_COMM_NULL;
  Awaited awaited_;
  std::atomic<std::int64_t> steps_{0};
  std::atomic<std::int64_t> posted_{0};
  std::atomic<std::int64_t> served_{0};
  std::int64_t stepsSeen_ = -1;
  double lastStep_ = 0;
  double lastLook_ = 0;
  double deferredUntil_ = 0;
};

}  // namespace Trident

#endif
