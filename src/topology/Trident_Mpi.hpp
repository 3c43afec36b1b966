#ifndef TRIDENT_MPI_HPP
#define TRIDENT_MPI_HPP

#include <mpi.h>

#include <exception>
#include <string>

namespace Trident {

/// Throws std::runtime_error naming the call and MPI's own text unless `code` is MPI_SUCCESS.
void checkMpi(int code, const char* call);

/// What an error is thrown as: std::runtime_error or std::invalid_argument.
enum class ErrorType { runtime, argument };

/// Raises the same exception on every rank of `comm` when at least one rank brings a message.
///
/// An empty message means "nothing wrong here". Text and type thrown are those of the lowest rank that brings
/// one. Collective over `comm`: one all-reduce, and two broadcasts only when there is something to say.
void agreeOrThrow(MPI_Comm comm, const std::string& message, ErrorType type = ErrorType::runtime);

/// Does work of this rank alone, between steps that need the others: if it throws on one rank, all throw
/// std::runtime_error with `prefix` and its text. Collective over `comm`: one all-reduce after the work.
template <class Work>
void onAllRanksOrNone(MPI_Comm comm, const std::string& prefix, const Work& work) {
  std::string failure;
  try {
    work();
  } catch (const std::exception& error) {
    failure = prefix + error.what();
  }
  agreeOrThrow(comm, failure);
}

/// As agreeOrThrow(); besides, if no rank brings a message, raises std::invalid_argument on every rank unless
/// all bring the same `text`, which describes `what`. The same one all-reduce.
void agreeOnCallOrThrow(MPI_Comm comm, const std::string& message, ErrorType type, const std::string& text,
                        const std::string& what);

}  // namespace Trident

#endif
