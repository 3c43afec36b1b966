#ifndef TRIDENT_ROW_MESSAGES_HPP
#define TRIDENT_ROW_MESSAGES_HPP

#include "exchange/Trident_Channel.hpp"

namespace Trident {

/// Where some rows go, or come from, and how many they are.
struct RowMessage {
  int rank;
  Phase phase;
  std::int64_t rows;
  std::int64_t entries;
};

/// The arrays of rows that are received, on the device.
template <class Types>
struct Landing {
  typename Types::ordinal_type* rowLengths;
  typename Types::ordinal_type* columns;
  typename Types::scalar_type* values;
};

/// The arrays of rows that are sent, on the device.
template <class Types>
struct Departure {
  const typename Types::ordinal_type* rowLengths;
  const typename Types::ordinal_type* columns;
  const typename Types::scalar_type* values;
};

// The wire form of rows: lengths, columns and values, each a message of its own.

template <class Types>
void sendRows(Channel& channel, const Departure<Types>& from, const RowMessage& to,
              Channel::Requests& requests) {
  constexpr auto ordinal = sizeof(typename Types::ordinal_type);
  constexpr auto scalar = sizeof(typename Types::scalar_type);
  channel.send(from.rowLengths, to.rows, ordinal, Route{to.rank, to.phase, Kind::pointers}, requests);
  channel.send(from.columns, to.entries, ordinal, Route{to.rank, to.phase, Kind::indices}, requests);
  channel.send(from.values, to.entries, scalar, Route{to.rank, to.phase, Kind::values}, requests);
}

template <class Types>
void receiveRows(Channel& channel, const Landing<Types>& to, const RowMessage& from,
                 Channel::Requests& requests) {
  constexpr auto ordinal = sizeof(typename Types::ordinal_type);
  constexpr auto scalar = sizeof(typename Types::scalar_type);
  channel.receive(to.rowLengths, from.rows, ordinal, Route{from.rank, from.phase, Kind::pointers}, requests);
  channel.receive(to.columns, from.entries, ordinal, Route{from.rank, from.phase, Kind::indices}, requests);
  channel.receive(to.values, from.entries, scalar, Route{from.rank, from.phase, Kind::values}, requests);
}

}  // namespace Trident

#endif
