#ifndef TRIDENT_MEASURED_WORK_HPP
#define TRIDENT_MEASURED_WORK_HPP

#include "topology/Trident_Context.hpp"

namespace Trident {

/// How much of a core a rank has while all ranks work, measured once for a communicator (Context::attached):
/// less than 1 where there are more ranks than cores.
class MeasuredWork {
 public:
  /// Collective over the context's communicator, some milliseconds.
  explicit MeasuredWork(const Context& context);

  double shareOfCore() const { return share_; }

 private:
  double share_ = 1;
};

}  // namespace Trident

#endif
