#ifndef TRIDENT_STARTUP_HPP
#define TRIDENT_STARTUP_HPP

namespace Trident {
namespace detail {

/// Takes the preload library out of LD_PRELOAD, so that programs which this process starts (compilers, sed,
/// gnuplot) do not load all of Trilinos. Other entries stay.
void leaveLdPreload();

/// Says on stderr that Tpetra's own products are used, if a report is asked for (TRIDENT_REPORT). Of the
/// ranks of a job, the first one says it.
void warnOfInactivity();

}  // namespace detail
}  // namespace Trident

#endif
