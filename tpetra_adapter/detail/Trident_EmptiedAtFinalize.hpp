#ifndef TRIDENT_EMPTIED_AT_FINALIZE_HPP
#define TRIDENT_EMPTIED_AT_FINALIZE_HPP

namespace Trident {
namespace detail {

/// Something that holds Kokkos views and lives as long as a communicator: it is emptied when Kokkos is
/// finalized, which is before MPI, and after which no view may be freed.
class EmptiedAtFinalize {
 public:
  EmptiedAtFinalize();
  EmptiedAtFinalize(const EmptiedAtFinalize&) = delete;
  EmptiedAtFinalize& operator=(const EmptiedAtFinalize&) = delete;
  virtual ~EmptiedAtFinalize();

  virtual void clear() = 0;
};

}  // namespace detail
}  // namespace Trident

#endif
