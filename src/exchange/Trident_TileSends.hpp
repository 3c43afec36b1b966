#ifndef TRIDENT_TILE_SENDS_HPP
#define TRIDENT_TILE_SENDS_HPP

#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exchange/Trident_RowLengths.hpp"
#include "observe/Trident_Trace.hpp"

namespace Trident {

/// What travels in the rounds, and the lengths of its rows; all must outlive the exchange.
template <class Types>
struct RoundTraffic {
  const OwnTiles<Types>& tiles;
  const FetchLists& fetches;
  const RowLengths<Types>& lengths;
};

/// The tiles of A, or of B, that a rank sends, each by itself: in place, or packed where only some of its
/// rows travel.
///
/// Made and destroyed by the main thread; in between one thread sends. Nothing that thread does touches a
/// view that others hold: where Kokkos has its Serial backend only, it counts references without atomics.
template <class Types>
class TileSends {
 public:
  enum class Packing { byKokkos, onThisThread };

  TileSends(Channel& channel, const NodeGrid& grid, const RoundTraffic<Types>& traffic, Phase phase,
            Packing packing)
      : channel_(channel), phase_(phase), packing_(packing) {
    const bool ofA = phase == Phase::multiplyA;
    const auto& fetches = ofA ? traffic.fetches.sendsA : traffic.fetches.sendsB;
    for (std::size_t f = 0; f < fetches.size(); ++f) {
      const int column = ofA ? 0 : grid.col(channel.context().topology().nodeOf(fetches[f].to));
      const TileSlice<Types>& tile =
          ofA ? traffic.tiles.ofA(fetches[f].baseBlock) : traffic.tiles.ofB(column, fetches[f].panel);
      sends_.push_back(inPlace(fetches[f], tile));
      if (ofA || traffic.tiles.lists == nullptr) continue;
      auto& rowPtr = rowPtrOfB_[{column, fetches[f].panel}];
      if (rowPtr.extent(0) == 0) rowPtr = rowPointers<Types>(tile.rowLengths);
      choose(sends_.back(), traffic.tiles.lists->ofSend(f), traffic.lengths.sendsB[f], rowPtr, tile);
    }
  }

  /// For tests: the first tile is not sent, or cannot be packed.
  void withholdOne() { withholds_ = true; }
  void failToPackOne() { failsToPack_ = true; }

  std::size_t count() const { return sends_.size(); }
  const Fetch& fetch(std::size_t f) const { return sends_[f].fetch; }

  /// Posts one send. Non-blocking.
  void send(std::size_t f) {
    if (std::exchange(withholds_, false)) return;
    const Send& send = sends_[f];
    sendEntries<Types>(channel_, send.rows == nullptr ? send.from : packed(send),
                       {send.fetch.to, phase_, send.fetch.rows, send.fetch.entries}, sending_);
  }

  /// Drives the sends. Whether all that were posted are through.
  bool test() {
    const bool done = Channel::test(sending_);
    if (done) packed_.clear();
    return done;
  }

  /// What went wrong here; empty if nothing did. Then something of the right size has been sent for a tile,
  /// so that nobody waits for ever, and the product is worth nothing.
  const std::string& failure() const { return failure_; }

 private:
  using Ordinal = typename Types::ordinal_type;
  using Scalar = typename Types::scalar_type;

  struct Send {
    Fetch fetch;
    Departure<Types> from;  // in place, or the arrays that rows are chosen from

    // What to choose: rows of the tile, their lengths, and the tile's row pointers from its first row on.
    const Ordinal* rows = nullptr;
    const Ordinal* lengths = nullptr;
    const std::size_t* rowPtr = nullptr;
  };

  struct Packed {
    typename Types::Ordinals columns;
    typename Types::Values values;
  };

  static Send inPlace(const Fetch& fetch, const TileSlice<Types>& tile) {
    const std::int64_t entry = tile.firstEntry[fetch.firstPiece];
    return {fetch, {tile.columns.data() + entry, tile.values.data() + entry}};
  }

  void choose(Send& send, const std::vector<Ordinal>& rows, const typename Types::ConstOrdinals& lengths,
              const typename Types::Offsets& rowPtr, const TileSlice<Types>& tile) {
    if (send.fetch.rows == 0) return;
    lists_.push_back(detail::onDevice<Types>(rows));
    send.from = {tile.columns.data(), tile.values.data()};
    send.rows = lists_.back().data();
    send.lengths = lengths.data();
    send.rowPtr = rowPtr.data() + tile.firstRow[send.fetch.firstPiece];
  }

  Departure<Types> packed(const Send& send) {
    TraceTag tag;
    tag.r = send.fetch.baseBlock;
    tag.to = send.fetch.to;
    const TraceSpan span("pack", tag);
    try {
      if (std::exchange(failsToPack_, false)) throw std::bad_alloc();
      packed_.push_back({allocate<typename Types::Ordinals>("Trident::exchange::columns", send.fetch.entries),
                         allocate<typename Types::Values>("Trident::exchange::values", send.fetch.entries)});
      const detail::ChosenRows<Types> chosen{send.from, send.rows, send.rowPtr, packed_.back().columns.data(),
                                             packed_.back().values.data()};
      if (packing_ == Packing::onThisThread)
        chosen.copyOneByOne(send.lengths, send.fetch.rows);
      else
        chosen.copy(send.lengths, send.fetch.rows);
      return {packed_.back().columns.data(), packed_.back().values.data()};
    } catch (const std::exception& error) {
      failure_ = std::string("packing a tile: ") + error.what();
      return send.from;
    }
  }

  Channel& channel_;
  Phase phase_;
  Packing packing_;
  std::vector<Send> sends_;
  std::vector<typename Types::Ordinals> lists_;
  std::map<std::pair<int, int>, typename Types::Offsets> rowPtrOfB_;  // by column block and panel
  Channel::Requests sending_;
  std::vector<Packed> packed_;  // what is being sent
  bool withholds_ = false;
  bool failsToPack_ = false;
  std::string failure_;
};

/// All sends of a rank, in the order of the rounds in which they are needed.
template <class Types>
struct SendsInOrder {
  using Sends = TileSends<Types>;

  SendsInOrder(Channel& channel, const NodeGrid& grid, const RoundTraffic<Types>& traffic)
      : A(channel, grid, traffic, Phase::multiplyA, Sends::Packing::byKokkos),
        B(channel, grid, traffic, Phase::multiplyB, Sends::Packing::byKokkos) {}

  /// Posts the sends of all rounds through `round`; those that are posted already are not again.
  void postThrough(int round) {
    for (; sentA < A.count() && A.fetch(sentA).round <= round; ++sentA) A.send(sentA);
    for (; sentB < B.count() && B.fetch(sentB).round <= round; ++sentB) B.send(sentB);
  }

  bool test() {
    const bool doneA = A.test();
    return B.test() && doneA;
  }

  Sends A, B;
  std::size_t sentA = 0;
  std::size_t sentB = 0;
};

}  // namespace Trident

#endif
