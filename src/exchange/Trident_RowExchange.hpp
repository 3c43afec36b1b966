#ifndef TRIDENT_ROW_EXCHANGE_HPP
#define TRIDENT_ROW_EXCHANGE_HPP

#include <utility>
#include <vector>

#include "exchange/Trident_RowMessages.hpp"
#include "layout/Trident_Tile.hpp"

namespace Trident {

/// Rows that go from each rank to some others, whole, as often as their values change: lengths and columns
/// travel the first time only.
template <class Types>
class RowExchange {
 public:
  /// Rows that go to one rank, by their number here.
  struct Outgoing {
    int rank;
    std::vector<std::int64_t> rows;
  };

  /// Rows that come from one rank; both sides know how many.
  struct Incoming {
    int rank;
    std::int64_t rows;
  };

  RowExchange(Channel& channel, Phase phase, std::vector<Outgoing> outgoing, std::vector<Incoming> incoming)
      : channel_(channel),
        phase_(phase),
        outgoing_(std::move(outgoing)),
        incoming_(std::move(incoming)),
        received_(incoming_.size()) {}

  /// Sends the rows of `from`, which later calls give with other values only, and receives the others'.
  /// Blocks until all are here; between the ranks that exchange rows.
  void exchange(const CsrRows<Types>& from) {
    if (!patternKnown_) exchangeLengths(from);
    Channel::Requests requests;
    for (std::size_t k = 0; k < incoming_.size(); ++k) {
      CsrRows<Types>& to = received_[k];
      const auto entries = static_cast<std::int64_t>(to.rowPtr(static_cast<std::size_t>(incoming_[k].rows)));
      to.values = allocate<typename Types::Values>("Trident::rowExchange::values", entries);
      if (!patternKnown_)
        channel_.receive(to.columns.data(), entries, sizeof(Ordinal), route(incoming_[k].rank, Kind::indices),
                         requests);
      channel_.receive(to.values.data(), entries, sizeof(Scalar), route(incoming_[k].rank, Kind::values),
                       requests);
      channel_.countTile(incoming_[k].rank, phase_, incoming_[k].rows, entries);
    }
    std::vector<std::vector<Ordinal>> columns(outgoing_.size());
    std::vector<std::vector<Scalar>> values(outgoing_.size());
    for (std::size_t k = 0; k < outgoing_.size(); ++k) {
      pack(from, outgoing_[k], columns[k], values[k]);
      if (!patternKnown_) send(columns[k], outgoing_[k].rank, Kind::indices, requests);
      send(values[k], outgoing_[k].rank, Kind::values, requests);
    }
    Channel::wait(requests);
    patternKnown_ = true;
  }

  /// Frees what came but the row pointers; the next exchange() brings values again.
  void dropReceived() {
    for (CsrRows<Types>& rows : received_) rows.columns = {}, rows.values = {};
  }

  std::int64_t keptBytes() const {
    std::size_t count = 0;
    for (const Outgoing& one : outgoing_) count += one.rows.size();
    for (const CsrRows<Types>& rows : received_) count += rows.rowPtr.extent(0);
    return static_cast<std::int64_t>(count * sizeof(std::int64_t));
  }

  /// The rows that came, in the order of incoming().
  const std::vector<CsrRows<Types>>& received() const { return received_; }

 private:
  using Scalar = typename Types::scalar_type;
  using Ordinal = typename Types::ordinal_type;

  Route route(int rank, Kind kind) const { return {rank, phase_, kind}; }

  template <class T>
  void send(const std::vector<T>& array, int rank, Kind kind, Channel::Requests& requests) {
    channel_.send(array.data(), static_cast<std::int64_t>(array.size()), sizeof(T), route(rank, kind),
                  requests);
  }

  void exchangeLengths(const CsrRows<Types>& from) {
    Channel::Requests requests;
    std::vector<typename Types::Ordinals> coming;
    for (const Incoming& one : incoming_) {
      coming.push_back(allocate<typename Types::Ordinals>("Trident::rowExchange::lengths", one.rows));
      channel_.receive(coming.back().data(), one.rows, sizeof(Ordinal), route(one.rank, Kind::pointers),
                       requests);
    }
    std::vector<std::vector<Ordinal>> going(outgoing_.size());
    for (std::size_t k = 0; k < outgoing_.size(); ++k) {
      for (const std::int64_t row : outgoing_[k].rows)
        going[k].push_back(static_cast<Ordinal>(from.rowPtr(row + 1) - from.rowPtr(row)));
      send(going[k], outgoing_[k].rank, Kind::pointers, requests);
    }
    Channel::wait(requests);
    for (std::size_t k = 0; k < incoming_.size(); ++k) {
      CsrRows<Types>& to = received_[k];
      to.rowPtr = rowPointers<Types>(coming[k]);
      const auto entries = static_cast<std::int64_t>(to.rowPtr(static_cast<std::size_t>(incoming_[k].rows)));
      to.columns = allocate<typename Types::Ordinals>("Trident::rowExchange::columns", entries);
    }
  }

  void pack(const CsrRows<Types>& from, const Outgoing& to, std::vector<Ordinal>& columns,
            std::vector<Scalar>& values) const {
    for (const std::int64_t row : to.rows) {
      const std::size_t begin = from.rowPtr(row), end = from.rowPtr(row + 1);
      if (!patternKnown_)
        columns.insert(columns.end(), from.columns.data() + begin, from.columns.data() + end);
      values.insert(values.end(), from.values.data() + begin, from.values.data() + end);
    }
  }

  Channel& channel_;
  Phase phase_;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  std::vector<CsrRows<Types>> received_;
  bool patternKnown_ = false;
};

}  // namespace Trident

#endif
