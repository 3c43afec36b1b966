#include "topology/Trident_Mpi.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <stdexcept>

#include "observe/Trident_Waiting.hpp"

namespace Trident {

void checkMpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw std::runtime_error(std::string("Trident: ") + call +
                           " failed: " + std::string(text.data(), static_cast<std::size_t>(length)));
}

namespace {

// The lowest rank with a message, and how it is to be thrown, as one number; `nobody` sorts last. Signed:
// Open MPI 4.1 compares unsigned longs as signed ones in MPI_MIN.
constexpr long long nobody = std::numeric_limits<long long>::max();

long long speakerOf(int rank, const std::string& message, ErrorType type) {
  if (message.empty()) return nobody;
  return 2 * static_cast<long long>(rank) + (type == ErrorType::argument ? 1 : 0);
}

int rankIn(MPI_Comm comm) {
  int rank = 0;
  checkMpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

[[noreturn]] void throwAsSpeaker(MPI_Comm comm, long long speaker, const std::string& message) {
  const auto root = static_cast<int>(speaker / 2);
  auto length = static_cast<int>(message.size());
  checkMpi(watchedBroadcast(&length, 1, MPI_INT, root, comm, "an error text"), "MPI_Bcast");
  std::string text = rankIn(comm) == root ? message : std::string(static_cast<std::size_t>(length), ' ');
  checkMpi(watchedBroadcast(&text[0], length, MPI_CHAR, root, comm, "an error text"), "MPI_Bcast");
  if (speaker % 2 == 1) throw std::invalid_argument(text);
  throw std::runtime_error(text);
}

}  // namespace

void agreeOrThrow(MPI_Comm comm, const std::string& message, ErrorType type) {
  long long speaker = speakerOf(rankIn(comm), message, type);
  checkMpi(
      watchedAllreduce(MPI_IN_PLACE, &speaker, 1, MPI_LONG_LONG, MPI_MIN, comm, "the agreement of all ranks"),
      "MPI_Allreduce");
  if (speaker != nobody) throwAsSpeaker(comm, speaker, message);
}

Statement statementOf(const std::string& message, ErrorType type, const std::string& text) {
  const std::int64_t speaks = message.empty() ? 0 : type == ErrorType::argument ? 2 : 1;
  return {speaks, static_cast<std::int64_t>(std::hash<std::string>()(text))};
}

void agreeOnStatements(MPI_Comm comm, const std::vector<Statement>& statements, const std::string& message,
                       const std::string& text, const std::string& what) {
  for (std::size_t rank = 0; rank < statements.size(); ++rank)
    if (statements[rank].speaks != 0)
      throwAsSpeaker(comm, 2 * static_cast<long long>(rank) + (statements[rank].speaks == 2 ? 1 : 0),
                     message);
  const auto same = [&](const Statement& statement) { return statement.hash == statements.front().hash; };
  if (std::all_of(statements.begin(), statements.end(), same)) return;
  throwAsSpeaker(comm, speakerOf(0, "rank 0 speaks", ErrorType::argument),
                 "Trident: " + what + " are not the same on all ranks; rank 0 has: " + text);
}

}  // namespace Trident
