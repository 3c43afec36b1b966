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
  typename Types::ordinal_type* columns;
  typename Types::scalar_type* values;
};

/// The arrays of rows that are sent, on the device.
template <class Types>
struct Departure {
  const typename Types::ordinal_type* columns;
  const typename Types::scalar_type* values;
};

// The wire form of rows: lengths, columns and values, each a message of its own. Lengths go first: they say
// how long the others are.

template <class Types>
void sendLengths(Channel& channel, const typename Types::ordinal_type* from, const RowMessage& to,
                 Channel::Requests& requests) {
  channel.send(from, to.rows, sizeof(typename Types::ordinal_type), Route{to.rank, to.phase, Kind::pointers},
               requests);
}

template <class Types>
void receiveLengths(Channel& channel, typename Types::ordinal_type* to, const RowMessage& from,
                    Channel::Requests& requests) {
  channel.receive(to, from.rows, sizeof(typename Types::ordinal_type),
                  Route{from.rank, from.phase, Kind::pointers}, requests);
}

template <class Types>
void sendEntries(Channel& channel, const Departure<Types>& from, const RowMessage& to,
                 Channel::Requests& requests) {
  channel.send(from.columns, to.entries, sizeof(typename Types::ordinal_type),
               Route{to.rank, to.phase, Kind::indices}, requests);
  channel.send(from.values, to.entries, sizeof(typename Types::scalar_type),
               Route{to.rank, to.phase, Kind::values}, requests);
}

template <class Types>
void receiveEntries(Channel& channel, const Landing<Types>& to, const RowMessage& from,
                    Channel::Requests& requests) {
  channel.receive(to.columns, from.entries, sizeof(typename Types::ordinal_type),
                  Route{from.rank, from.phase, Kind::indices}, requests);
  channel.receive(to.values, from.entries, sizeof(typename Types::scalar_type),
                  Route{from.rank, from.phase, Kind::values}, requests);
}

}  // namespace Trident

#endif
