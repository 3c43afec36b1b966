#ifndef TRIDENT_TRACE_HPP
#define TRIDENT_TRACE_HPP

#include <cstdint>
#include <string>

namespace Trident {

/// What a span of a trace is about; what does not apply stays negative.
struct TraceTag {
  int i = -1;  ///< row of the tile in the grid
  int j = -1;  ///< column of the tile in the grid
  int r = -1;  ///< base block
  int k = -1;  ///< slice
  int round = -1;
  int from = -1;  ///< rank
  int to = -1;    ///< rank
  std::int64_t bytes = -1;
};

/// The lanes of a rank in a trace: its threads.
enum class TraceLane { main, senderA, senderB };

/// Collects what this rank does when, if TRIDENT_TRACE names a file. Without it every call is one test of a
/// flag.
///
/// Events lie in this rank's memory until they are taken, which TraceFile does at the end of a product. Any
/// thread may add some.
class Trace {
 public:
  /// Whether this process traces: TRIDENT_TRACE was not empty at the first question.
  static bool on() {
    static const bool wanted = !file().empty();
    return wanted;
  }

  /// What TRIDENT_TRACE says.
  static const std::string& file();

  /// Microseconds since the epoch, on this rank's clock.
  static double now();

  /// Spans that this thread adds lie in `lane` from now on.
  static void setLane(TraceLane lane);

  /// Adds a span. `name` must be a literal.
  static void span(const char* name, double begin, double end, const TraceTag& tag = {});

  /// A product's span: which engine it was done by.
  static void product(double begin, double end, const std::string& engine);

  /// Adds that a tile is on its way, from now to tileArrived() with what this returned.
  static std::int64_t tileLeft(const char* name, const TraceTag& tag);
  static void tileArrived(const char* name, std::int64_t id);

  /// This rank's events as JSON objects, one a line, each with a comma behind it, and forgets them. `rank` is
  /// the process of the trace; `clockAhead` microseconds are taken off all times.
  static std::string take(int rank, double clockAhead);
};

/// A span from construction to destruction.
class TraceSpan {
 public:
  explicit TraceSpan(const char* name, const TraceTag& tag = {}) {
    if (!Trace::on()) return;
    name_ = name;
    tag_ = tag;
    begin_ = Trace::now();
  }
  ~TraceSpan() {
    if (name_ != nullptr) Trace::span(name_, begin_, Trace::now(), tag_);
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  const char* name_ = nullptr;
  TraceTag tag_;
  double begin_ = 0;
};

}  // namespace Trident

#endif
