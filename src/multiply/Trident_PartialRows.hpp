#ifndef TRIDENT_PARTIAL_ROWS_HPP
#define TRIDENT_PARTIAL_ROWS_HPP

#include <algorithm>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "exchange/Trident_Counts.hpp"
#include "exchange/Trident_RowExchange.hpp"
#include "exchange/Trident_RowLists.hpp"
#include "layout/Trident_IndexSpace.hpp"
#include "local/Trident_PartialSum.hpp"
#include "multiply/Trident_Prediction.hpp"

namespace Trident {

/// Brings partial rows of C to their owners and sums them up, in two steps: a rank gives each part to the
/// owner, if that is on its node, or to the rank of its node that sums the rows of that owner (the one of the
/// owner's slice); then each row leaves its node as one sum.
///
/// A row is summed first over the ranks of its owner's node, in order, then over the other nodes, in order.
template <class Types>
class PartialRows {
 public:
  /// `ids` are, of each of this rank's partial rows, the id in `rows`; `partners` the rows of this rank's own
  /// to which each node has a part, whether or not there is anything in it.
  PartialRows(Channel& channel, const IndexSpace& rows, const NeededOfOwner& partners,
              const std::vector<std::int64_t>& ids)
      : channel_(channel),
        context_(channel.context()),
        topology_(context_.topology()),
        rows_(rows),
        partners_(partners) {
    going_.resize(static_cast<std::size_t>(mates()));
    for (std::size_t row = 0; row < ids.size(); ++row) {
      const Piece& piece = rows.pieceAt(ids[row]);
      const std::int64_t local = piece.firstLocal + ids[row] - piece.start;
      going_[summerOf(piece.rank)].push_back({piece.rank, local, static_cast<std::int64_t>(row)});
    }
    for (auto& list : going_) std::sort(list.begin(), list.end());
  }

  /// The ranks of a node tell each other which rows they have parts of. Collective over the node.
  void meet() {
    exchangeNames();
    layOutNode();
    layOutOwners();
  }

  /// This rank's rows of C. `partial` has one row for each id; later calls give other values of the same
  /// pattern. Collective.
  CsrRows<Types> sumAtHome(const CsrRows<Types>& partial) {
    const bool first = !sum_;
    inNode_->exchange(partial);
    if (first) {
      nodeSum_ = std::make_unique<PartialSum<Types>>(static_cast<std::int64_t>(forOthers_.size()));
      addPartsOfNode(partial, *nodeSum_, false);
      nodeSum_->settlePattern();
    }
    const std::vector<typename Types::Values> ofNode = valuesOfNode(partial);
    const CsrRows<Types> summed = nodeSum_->sum(ofNode);
    betweenNodes_->exchange(summed);
    if (first) {
      tallyWhatLeaves(summed);
      sum_ = std::make_unique<PartialSum<Types>>(ownRows());
      addPartsOfNode(partial, *sum_, true);
      addPartsOfOthers();
      sum_->settlePattern();
    }
    std::vector<typename Types::Values> all = ofNode;
    for (const auto& received : betweenNodes_->received()) all.push_back(received.values);
    const CsrRows<Types> sum = sum_->sum(all);
    inNode_->dropReceived();
    betweenNodes_->dropReceived();
    return sum;
  }

  /// Bytes that are kept between sums.
  std::int64_t keptBytes() const {
    std::size_t names = forOthers_.size();
    for (const auto& list : names_) names += list.size();
    for (const auto& list : going_) names += list.size();
    return inNode_->keptBytes() + betweenNodes_->keptBytes() + nodeSum_->keptBytes() + sum_->keptBytes() +
           static_cast<std::int64_t>(names * sizeof(PartOfRow));
  }

  /// What leaves this node by this rank, to each node. After sumAtHome().
  void tally(RankTally& tally) const {
    tally.partialRows = partialRows_;
    tally.partialEntries = partialEntries_;
  }

 private:
  // One partial row: whose it is, and its number among this rank's.
  struct PartOfRow {
    int owner;
    std::int64_t local;
    std::int64_t row;
    bool operator<(const PartOfRow& other) const {
      return std::tie(owner, local) < std::tie(other.owner, other.local);
    }
  };

  // A row, by its owner and its local index there, as it is named on the wire.
  struct Name {
    std::int64_t owner;
    std::int64_t local;
    bool operator<(const Name& other) const {
      return std::tie(owner, local) < std::tie(other.owner, other.local);
    }
    bool operator==(const Name& other) const { return owner == other.owner && local == other.local; }
  };

  int node() const { return context_.node(); }
  int mates() const { return topology_.ranksOn(node()); }

  std::int64_t ownRows() const {
    std::int64_t count = 0;
    for (const int piece : rows_.piecesOf(context_.rank())) count += rows_.pieces()[piece].count;
    return count;
  }

  // The slice of this node that sums the rows of `owner`.
  int summerOf(int owner) const {
    return topology_.nodeOf(owner) == node() ? topology_.sliceOf(owner) : topology_.sliceOf(owner) % mates();
  }

  void exchangeNames() {
    names_.resize(going_.size());
    CountsByRank told, heard;
    for (int slice = 0; slice < mates(); ++slice) {
      const int rank = topology_.rankAt(node(), slice);
      if (rank == context_.rank()) continue;
      told[rank] = {static_cast<std::int64_t>(going_[slice].size())};
      heard[rank] = {0};
    }
    exchangeCounts(channel_, Phase::setup, told, heard);
    Channel::Requests requests;
    std::vector<std::vector<Name>> sent(going_.size());
    for (int slice = 0; slice < mates(); ++slice) {
      for (const PartOfRow& part : going_[slice]) sent[slice].push_back({part.owner, part.local});
      const int rank = topology_.rankAt(node(), slice);
      if (rank == context_.rank()) {
        names_[slice] = sent[slice];
        continue;
      }
      const Route route{rank, Phase::setup, Kind::request};
      names_[slice].resize(static_cast<std::size_t>(heard[rank][0]));
      channel_.receive(names_[slice].data(), heard[rank][0], sizeof(Name), route, requests);
      channel_.send(sent[slice].data(), told[rank][0], sizeof(Name), route, requests);
    }
    Channel::wait(requests);
  }

  void layOutNode() {
    std::vector<typename RowExchange<Types>::Outgoing> outgoing;
    std::vector<typename RowExchange<Types>::Incoming> incoming;
    for (int slice = 0; slice < mates(); ++slice) {
      const int rank = topology_.rankAt(node(), slice);
      if (rank == context_.rank()) continue;
      std::vector<std::int64_t> rows;
      for (const PartOfRow& part : going_[slice]) rows.push_back(part.row);
      outgoing.push_back({rank, std::move(rows)});
      incoming.push_back({rank, static_cast<std::int64_t>(names_[slice].size())});
    }
    inNode_ = std::make_unique<RowExchange<Types>>(channel_, Phase::mapBackC, std::move(outgoing),
                                                   std::move(incoming));
    for (const auto& names : names_)
      for (const Name& name : names)
        if (name.owner != context_.rank()) forOthers_.push_back(name);
    std::sort(forOthers_.begin(), forOthers_.end());
    forOthers_.erase(std::unique(forOthers_.begin(), forOthers_.end()), forOthers_.end());
  }

  void layOutOwners() {
    std::vector<typename RowExchange<Types>::Outgoing> outgoing;
    for (std::size_t row = 0; row < forOthers_.size(); ++row) {
      const auto owner = static_cast<int>(forOthers_[row].owner);
      if (outgoing.empty() || outgoing.back().rank != owner) outgoing.push_back({owner, {}});
      outgoing.back().rows.push_back(static_cast<std::int64_t>(row));
    }
    std::vector<typename RowExchange<Types>::Incoming> incoming;
    for (int other = 0; other < topology_.nodes(); ++other) {
      const auto rows = other == node() ? 0 : static_cast<std::int64_t>(partners_.rowsFor(other).size());
      if (rows == 0) continue;
      const int summer = topology_.rankAt(other, context_.slice() % topology_.ranksOn(other));
      incoming.push_back({summer, rows});
    }
    betweenNodes_ = std::make_unique<RowExchange<Types>>(channel_, Phase::mapBackC, std::move(outgoing),
                                                         std::move(incoming));
  }

  // The parts that this node's ranks have of this rank's own rows, or of the rows that it sums for others, by
  // slice.
  void addPartsOfNode(const CsrRows<Types>& partial, PartialSum<Types>& sum, bool own) const {
    auto received = inNode_->received().begin();
    for (int slice = 0; slice < mates(); ++slice) {
      const bool mine = slice == context_.slice();
      std::vector<std::int64_t> sources, targets;
      for (std::size_t k = 0; k < names_[slice].size(); ++k) {
        const Name& name = names_[slice][k];
        if ((name.owner == context_.rank()) != own) continue;
        sources.push_back(mine ? going_[slice][k].row : static_cast<std::int64_t>(k));
        targets.push_back(own ? name.local
                              : std::lower_bound(forOthers_.begin(), forOthers_.end(), name) -
                                    forOthers_.begin());
      }
      sum.addPart(std::move(sources), std::move(targets), mine ? partial : *received++);
    }
  }

  std::vector<typename Types::Values> valuesOfNode(const CsrRows<Types>& partial) const {
    std::vector<typename Types::Values> values;
    auto received = inNode_->received().begin();
    for (int slice = 0; slice < mates(); ++slice)
      values.push_back(slice == context_.slice() ? partial.values : (received++)->values);
    return values;
  }

  void addPartsOfOthers() {
    auto received = betweenNodes_->received().begin();
    for (int other = 0; other < topology_.nodes(); ++other) {
      if (other == node() || partners_.rowsFor(other).empty()) continue;
      std::vector<std::int64_t> sources(partners_.rowsFor(other).size());
      std::iota(sources.begin(), sources.end(), std::int64_t{0});
      sum_->addPart(std::move(sources), partners_.rowsFor(other), *received++);
    }
  }

  void tallyWhatLeaves(const CsrRows<Types>& summed) {
    partialRows_.assign(static_cast<std::size_t>(topology_.nodes()), 0);
    partialEntries_ = partialRows_;
    for (std::size_t row = 0; row < forOthers_.size(); ++row) {
      const int to = topology_.nodeOf(static_cast<int>(forOthers_[row].owner));
      ++partialRows_[to];
      partialEntries_[to] += static_cast<std::int64_t>(summed.rowPtr(row + 1) - summed.rowPtr(row));
    }
  }

  Channel& channel_;
  const Context& context_;
  const Topology& topology_;
  const IndexSpace& rows_;
  const NeededOfOwner& partners_;
  std::vector<std::vector<PartOfRow>> going_;  // by the slice that sums them
  std::vector<std::vector<Name>> names_;       // of the rows that each slice of the node has for this rank
  std::vector<Name> forOthers_;                // the rows that this rank sums for other nodes
  std::unique_ptr<RowExchange<Types>> inNode_;
  std::unique_ptr<RowExchange<Types>> betweenNodes_;
  std::unique_ptr<PartialSum<Types>> nodeSum_;
  std::unique_ptr<PartialSum<Types>> sum_;
  std::vector<std::int64_t> partialRows_;
  std::vector<std::int64_t> partialEntries_;
};

}  // namespace Trident

#endif
