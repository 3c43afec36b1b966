#include "topology/Trident_Mpi.hpp"

#include <array>
#include <functional>
#include <limits>
#include <stdexcept>

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
  checkMpi(MPI_Bcast(&length, 1, MPI_INT, root, comm), "MPI_Bcast");
  std::string text = rankIn(comm) == root ? message : std::string(static_cast<std::size_t>(length), ' ');
  checkMpi(MPI_Bcast(&text[0], length, MPI_CHAR, root, comm), "MPI_Bcast");
  if (speaker % 2 == 1) throw std::invalid_argument(text);
  throw std::runtime_error(text);
}

}  // namespace

void agreeOrThrow(MPI_Comm comm, const std::string& message, ErrorType type) {
  long long speaker = speakerOf(rankIn(comm), message, type);
  checkMpi(MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_LONG_LONG, MPI_MIN, comm), "MPI_Allreduce");
  if (speaker != nobody) throwAsSpeaker(comm, speaker, message);
}

void agreeOnCallOrThrow(MPI_Comm comm, const std::string& message, ErrorType type, const std::string& text,
                        const std::string& what) {
  const auto hash = static_cast<long long>(std::hash<std::string>()(text));
  std::array<long long, 3> least{speakerOf(rankIn(comm), message, type), hash, ~hash};
  checkMpi(MPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_LONG_LONG, MPI_MIN, comm), "MPI_Allreduce");
  if (least[0] != nobody) throwAsSpeaker(comm, least[0], message);
  if (least[1] == ~least[2]) return;  // the least hash is also the greatest
  throwAsSpeaker(comm, speakerOf(0, "rank 0 speaks", ErrorType::argument),
                 "Trident: " + what + " are not the same on all ranks; rank 0 has: " + text);
}

}  // namespace Trident
