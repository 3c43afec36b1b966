#include "exchange/Trident_Channel.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "topology/Trident_Mpi.hpp"

namespace Trident {
namespace {

// Two dozen tags in all, far below any MPI_TAG_UB; the communicator is ours alone.
int tagOf(const Route& route) {
  return static_cast<int>(route.phase) * kindCount + static_cast<int>(route.kind);
}

}  // namespace

Channel::Channel(Context& context, const Options& options, Ledger& ledger)
    : context_(&context),
      options_(options),
      ledger_(&ledger),
      random_(static_cast<unsigned>(options.delaySeed) * 7919U + static_cast<unsigned>(context.rank()) + 1U) {
}

Link Channel::linkTo(int rank) const {
  return context_->topology().nodeOf(rank) == context_->node() ? Link::Li : Link::Gi;
}

void Channel::send(const void* data, std::int64_t count, std::size_t size, const Route& to,
                   Requests& requests) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(size);
  ledger_->countSent(to.phase, linkTo(to.rank), to.kind, bytes);
  protocolStep();
  const auto* from = static_cast<const char*>(data);
  for (std::int64_t done = 0; done < bytes; done += options_.maxMessageBytes) {
    const auto part = static_cast<int>(std::min(options_.maxMessageBytes, bytes - done));
    requests.emplace_back(MPI_REQUEST_NULL);
    checkMpi(MPI_Isend(from + done, part, MPI_BYTE, to.rank, tagOf(to), context_->comm(), &requests.back()),
             "MPI_Isend");
  }
}

void Channel::receive(void* data, std::int64_t count, std::size_t size, const Route& from,
                      Requests& requests) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(size);
  ledger_->countReceived(from.phase, linkTo(from.rank), from.kind, bytes);
  auto* to = static_cast<char*>(data);
  for (std::int64_t done = 0; done < bytes; done += options_.maxMessageBytes) {
    const auto part = static_cast<int>(std::min(options_.maxMessageBytes, bytes - done));
    requests.emplace_back(MPI_REQUEST_NULL);
    checkMpi(MPI_Irecv(to + done, part, MPI_BYTE, from.rank, tagOf(from), context_->comm(), &requests.back()),
             "MPI_Irecv");
  }
}

void Channel::countTile(int rank, Phase phase, std::int64_t rows, std::int64_t entries) {
  ledger_->countTileReceived(phase, linkTo(rank), rows, entries);
}

void Channel::wait(Requests& requests) {
  checkMpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
           "MPI_Waitall");
  requests.clear();
}

void Channel::poll(Requests& requests) {
  int done = 0;
  checkMpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
           "MPI_Testall");
  if (done != 0) requests.clear();
}

void Channel::protocolStep() {
  if (options_.delaySeed == 0) return;
  std::this_thread::sleep_for(std::chrono::microseconds(random_() % 1000));
}

}  // namespace Trident
