#ifndef TRIDENT_FAILING_TOGETHER_HPP
#define TRIDENT_FAILING_TOGETHER_HPP

#include <mpi.h>

#include <exception>

namespace Trident {

/// Prints `text` and ends the job from this rank alone.
[[noreturn]] void endJob(MPI_Comm comm, const char* text);

/// Returns once all ranks of `comm` have called it. If they do not within half a minute, or half of
/// TRIDENT_TIMEOUT if that is shorter, ends the job and says that this rank failed alone, of `what`.
void awaitFailureOfAll(MPI_Comm comm, const char* what);

/// Does what the ranks of `comm` do together, so that one that fails alone leaves nobody waiting for ever: an
/// exception goes on once all ranks have thrown one; if they do not, the job ends and says why.
///
/// Costs nothing unless something is thrown. May be nested.
template <class Work>
decltype(auto) failingTogether(MPI_Comm comm, const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    awaitFailureOfAll(comm, error.what());
    throw;
  } catch (...) {
    awaitFailureOfAll(comm, "something that is no std::exception");
    throw;
  }
}

/// The same for work in which no failure can be told to the others, nor memory given back: messages are under
/// way. An exception ends the job.
template <class Work>
void failingNever(MPI_Comm comm, const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    endJob(comm, error.what());
  }
}

}  // namespace Trident

#endif
