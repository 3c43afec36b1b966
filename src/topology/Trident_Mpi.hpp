#ifndef TRIDENT_MPI_HPP
#define TRIDENT_MPI_HPP

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

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

/// What a rank brings to an agreement that is part of a larger exchange: whether it has something to say, and
/// what its call looks like.
struct Statement {
  std::int64_t speaks;  ///< 0: no; 1: std::runtime_error; 2: std::invalid_argument
  std::int64_t hash;    ///< of the text that must be the same on all ranks
};

Statement statementOf(const std::string& message, ErrorType type, const std::string& text);

/// The end of such an exchange: throws on every rank if one of the `statements`, one a rank, speaks or if
/// their hashes differ, which is said to be about `what`. Collective over `comm` only if it throws.
void agreeOnStatements(MPI_Comm comm, const std::vector<Statement>& statements, const std::string& message,
                       const std::string& text, const std::string& what);

}  // namespace Trident

#endif
