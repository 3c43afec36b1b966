#include "exchange/Trident_MeasuredMachine.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "observe/Trident_Waiting.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

constexpr int tagOfPing = 1001;
constexpr int shortRepeats = 10;
constexpr int longBytes = 1 << 18;

// Seconds of one message, there and back halved.
double pingPong(MPI_Comm comm, int peer, bool begins, int bytes, int repeats) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  const double begin = MPI_Wtime();
  for (int r = 0; r < repeats; ++r) {
    if (begins) checkMpi(MPI_Send(data.data(), bytes, MPI_BYTE, peer, tagOfPing, comm), "MPI_Send");
    checkMpi(MPI_Recv(data.data(), bytes, MPI_BYTE, peer, tagOfPing, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    if (!begins) checkMpi(MPI_Send(data.data(), bytes, MPI_BYTE, peer, tagOfPing, comm), "MPI_Send");
  }
  return (MPI_Wtime() - begin) / (2 * repeats);
}

}  // namespace

MeasuredMachine::MeasuredMachine(const Context& context) : machine_(Machine::named("1gbit")) {
  const int node = context.node();
  const int other = node % 2 == 0 ? node + 1 : node - 1;
  std::array<double, 2> seconds{0, 0};
  if (context.slice() == 0 && other < context.topology().nodes()) {
    const int peer = context.topology().rankAt(other, 0);
    pingPong(context.comm(), peer, node % 2 == 0, 1, 1);  // connections are made at the first message
    seconds[0] = pingPong(context.comm(), peer, node % 2 == 0, 1, shortRepeats);
    seconds[1] = pingPong(context.comm(), peer, node % 2 == 0, longBytes, 1);
  }
  checkMpi(watchedAllreduce(MPI_IN_PLACE, seconds.data(), 2, MPI_DOUBLE, MPI_MAX, context.comm(),
                            "the measurement of the links"),
           "MPI_Allreduce");
  if (context.topology().nodes() == 1) return;
  machine_.giLatency = seconds[0];
  machine_.giBytesPerSecond = longBytes / std::max(seconds[1] - seconds[0], 1e-9);
}

}  // namespace Trident
