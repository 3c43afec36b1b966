#ifndef TRIDENT_ALLGATHERV_GATHER_HPP
#define TRIDENT_ALLGATHERV_GATHER_HPP

#include <limits>
#include <vector>

#include "exchange/Trident_Channel.hpp"
#include "gather/Trident_GatherLayout.hpp"
#include "gather/Trident_TileGather.hpp"
#include "topology/Trident_Mpi.hpp"

namespace Trident {

/// The gather of the paper: each rank holds B(r,j) whole, its own slice received in place and those of the
/// other ranks brought by an Allgatherv over Li. Works without shared memory, and on device memory that MPI
/// takes.
///
/// A node of one rank that multiplies nothing but its own tile reads that tile where it lies.
template <class Types>
class AllgathervGather : public TileGather<Types> {
 public:
  static GatherSizes sizes() {
    return {static_cast<std::int64_t>(sizeof(std::size_t) + sizeof(Ordinal)),
            static_cast<std::int64_t>(sizeof(Scalar) + sizeof(Ordinal))};
  }

  /// All references must outlive the gather.
  AllgathervGather(const GatherLayout& layout, const GatherParts<Types>& parts)
      : channel_(parts.channel),
        waiting_(parts.waiting),
        layout_(layout),
        brought_(parts.brought),
        everyRound_(parts.everyRound && onHost),
        ranks_(channel_.context().topology().ranksOn(channel_.context().node())),
        inPlace_(ranks_ == 1 && layout.rounds() == 1) {
    if (inPlace_) return;
    lengths_ = allocate<typename Types::Ordinals>("Trident::gather::rowLengths", layout.mostRows());
    const std::int64_t entries = layout.batchesAtATime() * layout.mostEntries();
    columns_ = allocate<typename Types::Ordinals>("Trident::gather::columns", entries);
    values_ = allocate<typename Types::Values>("Trident::gather::values", entries);
  }

  int batchEnd(int t) const override { return layout_.round(t).batchEnd; }
  int batches() const override { return layout_.batches(); }
  void open(int) override {}
  int batch(int t) const override { return layout_.round(t).batch; }
  int batchesAhead() const override { return layout_.batchesAtATime() - 1; }

  Landing<Types> landing(std::size_t f) override {
    const auto [t, part] = layout_.placeOfReceive(f);
    const std::int64_t entry = firstEntryOf(t) + layout_.round(t).parts[part].firstEntry;
    return {columns_.data() + entry, values_.data() + entry};
  }

  GatheredTile<Types> assemble(int t) override {
    const RoundPlace& round = layout_.round(t);
    if (inPlace_) {
      const PackedRows<Types>& own = brought_.own[t];
      return {0, round.rows, true, rowPointers<Types>(own.rowLengths), own.columns, own.values, true, true};
    }
    for (const PartPlace& place : round.parts)
      if (place.receive >= 0)
        copyRun(brought_.lengths[place.receive], 0, lengths_, round.firstRow + place.firstRow, place.rows);
    if (const PartPlace* own = layout_.ownPart(t)) copyOwn(t, *own);
    if (ranks_ > 1) gatherParts(t);

    const bool endsBatch = t + 1 == round.batchEnd;
    if (everyRound_)
      appendRowPointers(round);
    else if (endsBatch)
      rowPtr_ = rowPointers<Types>(
          Kokkos::subview(lengths_, std::make_pair(std::int64_t{0}, round.firstRow + round.rows)));
    const auto batch = std::make_pair(firstEntryOfBatch(t), firstEntryOfBatch(t) + layout_.mostEntries());
    return {round.firstRow,
            round.rows,
            endsBatch,
            rowPtr_,
            Kokkos::subview(columns_, batch),
            Kokkos::subview(values_, batch),
            everyRound_ || endsBatch,
            layout_.endsPanel(t)};
  }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

  static constexpr bool onHost =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Types::device_type::memory_space>::accessible;

  // Batches that are there at a time lie one behind the other; only entries arrive before their turn.
  std::int64_t firstEntryOfBatch(int t) const {
    return layout_.round(t).batch % layout_.batchesAtATime() * layout_.mostEntries();
  }
  std::int64_t firstEntryOf(int t) const { return firstEntryOfBatch(t) + layout_.round(t).firstEntry; }

  // The row pointers of one round behind those of the batch's earlier rounds. Host memory only.
  void appendRowPointers(const RoundPlace& round) {
    if constexpr (onHost) {
      if (rowPtr_.extent(0) == 0)
        rowPtr_ = allocate<typename Types::Offsets>("Trident::gather::rowPtr", layout_.mostRows() + 1);
      auto end = static_cast<std::size_t>(round.firstEntry);
      rowPtr_(round.firstRow) = end;
      for (std::int64_t row = round.firstRow; row < round.firstRow + round.rows; ++row) {
        end += static_cast<std::size_t>(lengths_(row));
        rowPtr_(row + 1) = end;
      }
    }
  }

  // Runs of parts in the order of the ranks that bring them: the parts of one holder node, as a rule.
  void gatherParts(int t) {
    const RoundPlace& round = layout_.round(t);
    const auto last = round.parts.end();
    for (auto first = round.parts.begin(); first != last;) {
      auto end = first + 1;
      while (end != last && end->part.receiver >= (end - 1)->part.receiver) ++end;
      std::vector<std::int64_t> rows(static_cast<std::size_t>(ranks_), 0), entries(rows);
      for (auto place = first; place != end; ++place) {
        rows[place->part.receiver] += place->rows;
        entries[place->part.receiver] += place->entries;
      }
      const std::int64_t entry = firstEntryOf(t) + first->firstEntry;
      allgather(lengths_.data() + round.firstRow + first->firstRow, rows, sizeof(Ordinal), Kind::pointers);
      allgather(columns_.data() + entry, entries, sizeof(Ordinal), Kind::indices);
      allgather(values_.data() + entry, entries, sizeof(Scalar), Kind::values);
      first = end;
    }
  }

  void copyOwn(int t, const PartPlace& place) {
    const RoundPlace& round = layout_.round(t);
    const PackedRows<Types>& own = brought_.own[t];
    copyRun(own.rowLengths, 0, lengths_, round.firstRow + place.firstRow, place.rows);
    copyRun(own.columns, 0, columns_, firstEntryOf(t) + place.firstEntry, place.entries);
    copyRun(own.values, 0, values_, firstEntryOf(t) + place.firstEntry, place.entries);
  }

  void allgather(void* data, const std::vector<std::int64_t>& share, std::size_t size, Kind kind) {
    std::int64_t total = 0;
    std::vector<int> counts, first;
    for (const std::int64_t count : share) {
      first.push_back(static_cast<int>(total * static_cast<std::int64_t>(size)));
      counts.push_back(static_cast<int>(count * static_cast<std::int64_t>(size)));
      total += count;
    }
    const int k = channel_.context().slice();
    const auto bytes = [&](std::int64_t count) { return count * static_cast<std::int64_t>(size); };
    if (bytes(total) > std::numeric_limits<int>::max()) {
      exchangeInTurn(static_cast<char*>(data), share, size, kind);
      return;
    }
    channel_.ledger().countSent(Phase::multiplyB, Link::Li, kind, bytes(share[k]) * (ranks_ - 1));
    channel_.ledger().countReceived(Phase::multiplyB, Link::Li, kind, bytes(total - share[k]));
    MPI_Request request = MPI_REQUEST_NULL;
    checkMpi(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts.data(), first.data(), MPI_BYTE,
                             channel_.context().nodeComm(), &request),
             "MPI_Iallgatherv");
    awaitNode([&request] {
      int done = 0;
      checkMpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      return done != 0;
    });
  }

  // Others may need this rank before they can join.
  template <class Done>
  void awaitNode(const Done& done) {
    waiting_.until("wait node", {"the ranks of its node"}, {}, done);
  }

  // The same by messages, whose sizes have no limit, where an Allgatherv's int displacements overflow.
  void exchangeInTurn(char* data, const std::vector<std::int64_t>& share, std::size_t size, Kind kind) {
    const Context& context = channel_.context();
    std::vector<char*> place;
    for (const std::int64_t count : share) {
      place.push_back(data);
      data += count * static_cast<std::int64_t>(size);
    }
    Channel::Requests requests;
    const int own = context.slice();
    for (int k = 0; k < ranks_; ++k) {
      if (k == own) continue;
      const Route route{context.topology().rankAt(context.node(), k), Phase::multiplyB, kind};
      channel_.receive(place[k], share[k], size, route, requests);
      channel_.send(place[own], share[own], size, route, requests);
    }
    awaitNode([&requests] { return Channel::test(requests); });
  }

  Channel& channel_;
  Waiting& waiting_;
  const GatherLayout& layout_;
  BroughtRows<Types> brought_;
  bool everyRound_;
  int ranks_;
  bool inPlace_;
  typename Types::Ordinals lengths_;
  typename Types::Ordinals columns_;
  typename Types::Values values_;
  typename Types::Offsets rowPtr_;
};

}  // namespace Trident

#endif
