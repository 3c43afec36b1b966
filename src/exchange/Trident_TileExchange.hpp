#ifndef TRIDENT_TILE_EXCHANGE_HPP
#define TRIDENT_TILE_EXCHANGE_HPP

#include <string>

#include "exchange/Trident_RowMessages.hpp"
#include "layout/Trident_Tile.hpp"

namespace Trident {

/// Brings the tiles of the rounds from the nodes that own them, on one rank.
///
/// What the round loop needs of an engine, whichever way it moves tiles: nothing here says who posts what
/// when. No call is collective over the whole communicator; nodes drift apart freely.
template <class Types>
class TileExchange {
 public:
  TileExchange() = default;
  TileExchange(const TileExchange&) = delete;
  TileExchange& operator=(const TileExchange&) = delete;
  virtual ~TileExchange() = default;

  /// Blocks until A(i,r,k) of round t is here. Rounds are asked for in order.
  virtual TileSlice<Types> receiveA(int t) = 0;

  /// Blocks until this rank's share of B(r,j) of round t has landed where the gather wants it.
  virtual void receiveB(int t) = 0;

  /// Lets what may travel while round t is multiplied leave, if that is more than what is on its way already:
  /// the tiles of the panels that are next. Round t has been gathered.
  virtual void fetchAhead(int t) = 0;

  /// Drives communication without blocking; local work calls it now and then.
  virtual void progress() = 0;

  /// Blocks until everything that others need of this rank has left it.
  virtual void finish() = 0;

  /// What went wrong on this rank, though the rounds went on; empty if nothing did. After finish().
  virtual std::string failure() const = 0;

  /// "scheduled" and the like, as reports say it.
  virtual std::string name() const = 0;
};

/// What an engine needs to know of the gather below it in the round: the places where B lands.
template <class Types>
class TileLanding {
 public:
  TileLanding() = default;
  TileLanding(const TileLanding&) = delete;
  TileLanding& operator=(const TileLanding&) = delete;
  virtual ~TileLanding() = default;

  /// One past the last round whose tiles can be landed together with round t's.
  virtual int batchEnd(int t) const = 0;

  /// Makes room for the rounds from t to batchEnd(t); t is the first of them. Collective over the node.
  virtual void open(int t) = 0;

  /// Number of the batch that round t is in.
  virtual int batch(int t) const = 0;

  /// How many batches can be open besides the one that is multiplied.
  virtual int batchesAhead() const = 0;

  /// Where this rank's f-th receive of B lands; its round has been opened.
  virtual Landing<Types> landing(std::size_t f) = 0;
};

}  // namespace Trident

#endif
