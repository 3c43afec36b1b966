#ifndef TRIDENT_ROW_REQUESTS_HPP
#define TRIDENT_ROW_REQUESTS_HPP

#include <vector>

#include "exchange/Trident_Counts.hpp"
#include "exchange/Trident_NeededRows.hpp"
#include "exchange/detail/Trident_PackRows.hpp"
#include "plan/Trident_FetchSchedule.hpp"

namespace Trident {

/// What this rank sends and receives in the rounds, entries filled in by announceFetches().
struct FetchLists {
  std::vector<Fetch> receivesA, receivesB, sendsA, sendsB;
};

/// The rows that other nodes ask of this rank's slice of B, under the "needed" tile filter.
template <class Types>
class RowRequests {
 public:
  /// Asks the owners for the needed rows and hears what is asked of this rank. Sets the rows of all fetches
  /// of B. Point to point, with the ranks that B is exchanged with; blocks until the requests are here.
  RowRequests(Channel& channel, const NeededRows& needed, FetchLists& fetches) {
    std::vector<std::vector<Ordinal>> asked;
    CountsByRank told, heard;
    for (Fetch& fetch : fetches.receivesB) {
      asked.push_back(needed.list<Ordinal>(fetch.firstId, fetch.firstId + fetch.rows));
      fetch.rows = static_cast<std::int64_t>(asked.back().size());
      told[fetch.from].push_back(fetch.rows);
    }
    for (const Fetch& fetch : fetches.sendsB) heard[fetch.to].push_back(0);
    exchangeCounts(channel, Phase::multiplyB, told, heard);

    Channel::Requests requests;
    std::map<int, std::size_t> next;
    rows_.resize(fetches.sendsB.size());
    for (std::size_t f = 0; f < fetches.sendsB.size(); ++f) {
      Fetch& fetch = fetches.sendsB[f];
      fetch.rows = heard[fetch.to][next[fetch.to]++];
      rows_[f].resize(static_cast<std::size_t>(fetch.rows));
      channel.receive(rows_[f].data(), fetch.rows, sizeof(Ordinal),
                      {fetch.to, Phase::multiplyB, Kind::request}, requests);
    }
    for (std::size_t f = 0; f < fetches.receivesB.size(); ++f) {
      const Fetch& fetch = fetches.receivesB[f];
      channel.send(asked[f].data(), fetch.rows, sizeof(Ordinal),
                   {fetch.from, Phase::multiplyB, Kind::request}, requests);
    }
    Channel::wait(requests);
  }

  /// Fills in the entries of the sends of B. Local.
  void measure(const TileSlice<Types>& B, std::vector<Fetch>& sends) {
    rowPtr_ = rowPointers<Types>(B.rowLengths);
    const auto rowPtr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rowPtr_);
    for (std::size_t f = 0; f < sends.size(); ++f) {
      const std::int64_t first = B.firstRow[sends[f].firstPiece];
      sends[f].entries = 0;
      sends[f].filledRows = 0;
      for (const Ordinal row : rows_[f]) {
        const auto length = static_cast<std::int64_t>(rowPtr(first + row + 1) - rowPtr(first + row));
        sends[f].entries += length;
        sends[f].filledRows += length > 0 ? 1 : 0;
      }
    }
  }

  /// The rows of the f-th send of B, packed. Local.
  detail::PackedRows<Types> pack(std::size_t f, const Fetch& fetch, const TileSlice<Types>& B) const {
    return detail::packRows<Types>(rows_[f], B.firstRow[fetch.firstPiece], fetch.entries, rowPtr_, B);
  }

 private:
  using Ordinal = typename Types::ordinal_type;

  std::vector<std::vector<Ordinal>> rows_;  // of each send, counted from its first row
  typename Types::Offsets rowPtr_;          // of the slice of B
};

}  // namespace Trident

#endif
