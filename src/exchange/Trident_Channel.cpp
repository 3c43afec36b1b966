#include "exchange/Trident_Channel.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "observe/Trident_Waiting.hpp"
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

Channel Channel::withLedger(Ledger& ledger, int salt) const {
  Channel other(*context_, options_, ledger);
  other.random_.seed(other.random_() + static_cast<unsigned>(salt));
  other.mode_ = mode_;
  other.recording_ = recording_;
  return other;
}

Link Channel::linkTo(int rank) const {
  return context_->topology().nodeOf(rank) == context_->node() ? Link::Li : Link::Gi;
}

void Recording::replay(void* data, std::int64_t bytes) {
  const std::vector<char>& array = arrays_.at(next_++);
  if (static_cast<std::int64_t>(array.size()) != bytes)
    throw std::logic_error("Trident: a recorded product receives " + std::to_string(bytes) +
                           " bytes where it received " + std::to_string(array.size()) + " before");
  std::copy(array.begin(), array.end(), static_cast<char*>(data));
}

std::size_t Recording::reserve(std::int64_t bytes) {
  arrays_.emplace_back(static_cast<std::size_t>(bytes));
  return arrays_.size() - 1;
}

void Recording::keep(std::size_t slot, const void* data) {
  std::copy_n(static_cast<const char*>(data), arrays_[slot].size(), arrays_[slot].data());
}

void Channel::setMode(Mode mode, Recording& recording) {
  mode_ = mode;
  recording_ = &recording;
  if (mode == Mode::replay) recording.rewind();
}

void Channel::send(const void* data, std::int64_t count, std::size_t size, const Route& to,
                   Requests& requests) {
  if (mode_ == Mode::replay && to.kind != Kind::values) return;
  const std::int64_t bytes = count * static_cast<std::int64_t>(size);
  ledger_->countSent(to.phase, linkTo(to.rank), to.kind, bytes);
  protocolStep();
  const auto* from = static_cast<const char*>(data);
  for (std::int64_t done = 0; done < bytes; done += options_.maxMessageBytes) {
    const auto part = static_cast<int>(std::min(options_.maxMessageBytes, bytes - done));
    requests.open_.emplace_back(MPI_REQUEST_NULL);
    checkMpi(
        MPI_Isend(from + done, part, MPI_BYTE, to.rank, tagOf(to), context_->comm(), &requests.open_.back()),
        "MPI_Isend");
  }
}

void Channel::receive(void* data, std::int64_t count, std::size_t size, const Route& from,
                      Requests& requests) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(size);
  if (mode_ == Mode::replay && from.kind != Kind::values) {
    recording_->replay(data, bytes);
    return;
  }
  if (mode_ == Mode::record && from.kind != Kind::values)
    requests.arriving_.push_back({recording_, recording_->reserve(bytes), data});
  ledger_->countReceived(from.phase, linkTo(from.rank), from.kind, bytes);
  auto* to = static_cast<char*>(data);
  for (std::int64_t done = 0; done < bytes; done += options_.maxMessageBytes) {
    const auto part = static_cast<int>(std::min(options_.maxMessageBytes, bytes - done));
    requests.open_.emplace_back(MPI_REQUEST_NULL);
    checkMpi(MPI_Irecv(to + done, part, MPI_BYTE, from.rank, tagOf(from), context_->comm(),
                       &requests.open_.back()),
             "MPI_Irecv");
  }
}

void Channel::countTile(int rank, Phase phase, std::int64_t rows, std::int64_t entries) {
  ledger_->countTileReceived(phase, linkTo(rank), rows, entries);
}

void Channel::Requests::finish() {
  open_.clear();
  for (const auto& array : arriving_) array.recording->keep(array.slot, array.data);
  arriving_.clear();
}

void Channel::wait(Requests& requests, const char* what) {
  checkMpi(waitForAll(requests.open_, {what}), "MPI_Waitall");
  requests.finish();
}

bool Channel::test(Requests& requests) {
  if (requests.open_.empty() && requests.arriving_.empty()) return true;
  int done = 0;
  checkMpi(
      MPI_Testall(static_cast<int>(requests.open_.size()), requests.open_.data(), &done, MPI_STATUSES_IGNORE),
      "MPI_Testall");
  if (done != 0) requests.finish();
  return done != 0;
}

void Channel::protocolStep() {
  if (options_.delaySeed == 0) return;
  std::this_thread::sleep_for(std::chrono::microseconds(random_() % 1000));
}

}  // namespace Trident
