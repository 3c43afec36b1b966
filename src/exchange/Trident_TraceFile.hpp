#ifndef TRIDENT_TRACE_FILE_HPP
#define TRIDENT_TRACE_FILE_HPP

#include <string>

#include "observe/Trident_Trace.hpp"
#include "observe/Trident_Watchdog.hpp"
#include "topology/Trident_Context.hpp"

namespace Trident {

/// Adds what all ranks have traced since the last call to the file that TRIDENT_TRACE names, a Chrome trace
/// with a rank as a process; the file is whole after every call. A file left by an earlier job is begun anew.
///
/// Collective over the context's communicator. Throws std::runtime_error, the same on all ranks, if the file
/// cannot be written. Does nothing if this process does not trace.
void writeTrace(Context& context);

/// A product as the watchdog and the trace see it, from construction to destruction; the trace is written
/// at the end unless the product throws. Collective over the context's communicator if it traces.
class ObservedProduct {
 public:
  /// `engine` is what the trace calls the engine, as it reads at the end. Both must outlive this object.
  ObservedProduct(Context& context, const std::string& engine);
  ~ObservedProduct();
  ObservedProduct(const ObservedProduct&) = delete;
  ObservedProduct& operator=(const ObservedProduct&) = delete;

 private:
  Context& context_;
  Watchdog::Watched watched_;
  const std::string& engine_;
  double begin_ = 0;
  int exceptions_;
};

}  // namespace Trident

#endif
