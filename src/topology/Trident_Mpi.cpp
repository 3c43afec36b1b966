#include "topology/Trident_Mpi.hpp"

#include <array>
#include <functional>
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

void agreeOrThrow(MPI_Comm comm, const std::string& message, ErrorType type) {
  int rank = 0;
  int size = 0;
  checkMpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  checkMpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  const int nobody = 2 * size;
  const int mine = message.empty() ? nobody : 2 * rank + (type == ErrorType::argument ? 1 : 0);
  int first = nobody;
  checkMpi(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (first == nobody) return;

  const int speaker = first / 2;
  auto length = static_cast<int>(message.size());
  checkMpi(MPI_Bcast(&length, 1, MPI_INT, speaker, comm), "MPI_Bcast");
  std::string text = rank == speaker ? message : std::string(static_cast<std::size_t>(length), ' ');
  checkMpi(MPI_Bcast(&text[0], length, MPI_CHAR, speaker, comm), "MPI_Bcast");
  if (first % 2 == 1) throw std::invalid_argument(text);
  throw std::runtime_error(text);
}

void requireSameOnAllRanks(MPI_Comm comm, const std::string& text, const std::string& what) {
  const auto hash = static_cast<unsigned long>(std::hash<std::string>()(text));
  const std::array<unsigned long, 2> mine{hash, ~hash};
  std::array<unsigned long, 2> least{0, 0};
  checkMpi(MPI_Allreduce(mine.data(), least.data(), 2, MPI_UNSIGNED_LONG, MPI_MIN, comm), "MPI_Allreduce");
  if (least[0] == ~least[1]) return;  // the least is also the greatest
  int rank = 0;
  checkMpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  agreeOrThrow(
      comm,
      "Trident: " + what + " are not the same on all ranks; rank " + std::to_string(rank) + " has: " + text,
      ErrorType::argument);
}

}  // namespace Trident
