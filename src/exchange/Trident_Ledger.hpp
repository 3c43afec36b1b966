#ifndef TRIDENT_LEDGER_HPP
#define TRIDENT_LEDGER_HPP

#include <array>
#include <cstdint>

namespace Trident {

/// What a byte was moved for. The five tile phases are those of the volume model.
enum class Phase { setup, convertA, convertB, multiplyA, multiplyB, mapBackC };

/// Gi joins nodes, Li joins the ranks of one node.
enum class Link { Gi, Li };

/// What a byte says: a count or request, a row length, a column index, or a value.
enum class Kind { request, pointers, indices, values };

constexpr int phaseCount = 6;
constexpr int linkCount = 2;
constexpr int kindCount = 4;

/// The name of a phase as the reports print it, e.g. "multiply_b".
const char* name(Phase phase);

/// Bytes, entries and rows one rank has sent and received, by phase, link and kind.
///
/// Payload only: the transport's headers are not in it. Entries and rows are those of the tiles received;
/// what stays on its rank is counted nowhere.
class Ledger {
 public:
  void countSent(Phase phase, Link link, Kind kind, std::int64_t bytes);
  void countReceived(Phase phase, Link link, Kind kind, std::int64_t bytes);
  void countTileReceived(Phase phase, Link link, std::int64_t rows, std::int64_t entries);

  std::int64_t bytesSent(Phase phase, Link link, Kind kind) const;
  std::int64_t bytesReceived(Phase phase, Link link, Kind kind) const;

  /// Bytes of all kinds.
  std::int64_t bytesSent(Phase phase, Link link) const;
  std::int64_t bytesReceived(Phase phase, Link link) const;

  /// Bytes of all kinds and phases.
  std::int64_t bytesSent(Link link) const;
  std::int64_t bytesReceived(Link link) const;

  std::int64_t entriesReceived(Phase phase, Link link) const;
  std::int64_t rowsReceived(Phase phase, Link link) const;

  /// Adds what another ledger counted.
  void add(const Ledger& other);

 private:
  using ByKind = std::array<std::int64_t, kindCount>;
  template <class T>
  using Table = std::array<std::array<T, linkCount>, phaseCount>;

  Table<ByKind> sent_{};
  Table<ByKind> received_{};
  Table<std::int64_t> entriesReceived_{};
  Table<std::int64_t> rowsReceived_{};
};

}  // namespace Trident

#endif
