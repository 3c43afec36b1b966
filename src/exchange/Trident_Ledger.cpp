#include "exchange/Trident_Ledger.hpp"

#include <numeric>

namespace Trident {
namespace {

template <class E>
std::size_t at(E e) {
  return static_cast<std::size_t>(e);
}

}  // namespace

const char* name(Phase phase) {
  static const std::array<const char*, phaseCount> names = {"setup",      "convert_a",  "convert_b",
                                                            "multiply_a", "multiply_b", "map_back_c"};
  return names[at(phase)];
}

void Ledger::countSent(Phase phase, Link link, Kind kind, std::int64_t bytes) {
  sent_[at(phase)][at(link)][at(kind)] += bytes;
}

void Ledger::countReceived(Phase phase, Link link, Kind kind, std::int64_t bytes) {
  received_[at(phase)][at(link)][at(kind)] += bytes;
}

void Ledger::countTileReceived(Phase phase, Link link, std::int64_t rows, std::int64_t entries) {
  rowsReceived_[at(phase)][at(link)] += rows;
  entriesReceived_[at(phase)][at(link)] += entries;
}

std::int64_t Ledger::bytesSent(Phase phase, Link link, Kind kind) const {
  return sent_[at(phase)][at(link)][at(kind)];
}

std::int64_t Ledger::bytesReceived(Phase phase, Link link, Kind kind) const {
  return received_[at(phase)][at(link)][at(kind)];
}

std::int64_t Ledger::bytesSent(Phase phase, Link link) const {
  const ByKind& kinds = sent_[at(phase)][at(link)];
  return std::accumulate(kinds.begin(), kinds.end(), std::int64_t{0});
}

std::int64_t Ledger::bytesReceived(Phase phase, Link link) const {
  const ByKind& kinds = received_[at(phase)][at(link)];
  return std::accumulate(kinds.begin(), kinds.end(), std::int64_t{0});
}

std::int64_t Ledger::bytesSent(Link link) const {
  std::int64_t sum = 0;
  for (int phase = 0; phase < phaseCount; ++phase) sum += bytesSent(static_cast<Phase>(phase), link);
  return sum;
}

std::int64_t Ledger::bytesReceived(Link link) const {
  std::int64_t sum = 0;
  for (int phase = 0; phase < phaseCount; ++phase) sum += bytesReceived(static_cast<Phase>(phase), link);
  return sum;
}

std::int64_t Ledger::entriesReceived(Phase phase, Link link) const {
  return entriesReceived_[at(phase)][at(link)];
}

std::int64_t Ledger::rowsReceived(Phase phase, Link link) const { return rowsReceived_[at(phase)][at(link)]; }

void Ledger::add(const Ledger& other) {
  for (std::size_t phase = 0; phase < phaseCount; ++phase)
    for (std::size_t link = 0; link < linkCount; ++link) {
      entriesReceived_[phase][link] += other.entriesReceived_[phase][link];
      rowsReceived_[phase][link] += other.rowsReceived_[phase][link];
      for (std::size_t kind = 0; kind < kindCount; ++kind) {
        sent_[phase][link][kind] += other.sent_[phase][link][kind];
        received_[phase][link][kind] += other.received_[phase][link][kind];
      }
    }
}

}  // namespace Trident
