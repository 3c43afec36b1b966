#ifndef TRIDENT_ROW_LISTS_HPP
#define TRIDENT_ROW_LISTS_HPP

#include <map>
#include <vector>

#include "exchange/Trident_Counts.hpp"
#include "exchange/Trident_NeededRows.hpp"
#include "plan/Trident_FetchSchedule.hpp"

namespace Trident {

/// What this rank sends and receives in the rounds.
struct FetchLists {
  std::vector<Fetch> receivesA, receivesB, sendsA, sendsB;

  /// Fetches each tile of B in so many panels, one a run of `rounds` rounds.
  void cutIntoPanels(int panels, int rounds);
};

/// Which ranks have columns of A for which of this rank's rows of B: pairs, in any order. This rank itself is
/// left out. What an importer from B's row map to A's column map exports.
struct RowConsumers {
  std::vector<std::int64_t> rows;  ///< local rows
  std::vector<int> ranks;          ///< of each row
};

/// For each row block of the grid, the rows of B among this rank's own that it needs, ascending.
class NeededOfOwner {
 public:
  NeededOfOwner() = default;
  NeededOfOwner(const Topology& topology, const NodeGrid& grid, std::int64_t ownRows,
                const RowConsumers& consumers);

  const std::vector<std::int64_t>& rowsFor(int rowBlock) const { return rows_[rowBlock]; }

 private:
  std::vector<std::vector<std::int64_t>> rows_;
};

/// The rows of each send of B under the "needed" tile filter, counted from the send's first row.
template <class Types>
class RowLists {
 public:
  using Ordinal = typename Types::ordinal_type;

  /// Owners hold B and know who needs what: nothing is communicated. Sets the rows of all fetches of B.
  RowLists(const NodeGrid& grid, const Topology& topology, const NeededOfOwner& owner,
           const NeededRows& needed, FetchLists& fetches) {
    countReceives(needed, fetches.receivesB);
    for (Fetch& fetch : fetches.sendsB) {
      const int rowBlock = grid.row(topology.nodeOf(fetch.to));
      const bool sameRow = rowBlock == grid.row(topology.nodeOf(fetch.from));
      rows_.emplace_back();
      if (sameRow)
        rows_.back() = needed.list<Ordinal>(fetch.firstId, fetch.firstId + fetch.rows);
      else
        rows_.back().assign(owner.rowsFor(rowBlock).begin(), owner.rowsFor(rowBlock).end());
      fetch.rows = static_cast<std::int64_t>(rows_.back().size());
    }
  }

  /// B lies in tiles, whose holders do not know who needs what: asks them for the needed rows and hears what
  /// is asked of this rank. Sets the rows of all fetches of B. Point to point, with the ranks that B is
  /// exchanged with; blocks until the requests are here.
  RowLists(Channel& channel, const NeededRows& needed, FetchLists& fetches) {
    std::vector<std::vector<Ordinal>> asked;
    for (const Fetch& fetch : fetches.receivesB)
      asked.push_back(needed.list<Ordinal>(fetch.firstId, fetch.firstId + fetch.rows));
    countReceives(needed, fetches.receivesB);
    CountsByRank told, heard;
    for (const Fetch& fetch : fetches.receivesB) told[fetch.from].push_back(fetch.rows);
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

  /// Of the f-th send of B; those of all panels are the same.
  const std::vector<Ordinal>& ofSend(std::size_t f) const { return rows_[f % rows_.size()]; }

 private:
  static void countReceives(const NeededRows& needed, std::vector<Fetch>& receives) {
    for (Fetch& fetch : receives) fetch.rows = needed.count(fetch.firstId, fetch.firstId + fetch.rows);
  }

  std::vector<std::vector<Ordinal>> rows_;
};

}  // namespace Trident

#endif
