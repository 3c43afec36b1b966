#ifndef TRIDENT_MULTIPLY_HPP
#define TRIDENT_MULTIPLY_HPP

#include "exchange/Trident_TileExchange.hpp"
#include "gather/Trident_TileGather.hpp"
#include "layout/Trident_Region.hpp"
#include "local/Trident_RoundSum.hpp"

namespace Trident {

// The levels of a product, from the top:
//   TiledProduct    1D rows in, 1D rows out: convert, the rounds, map back   (Trident_TiledProduct.hpp)
//   multiplyRounds  the rounds of one rank (i,j,k)                           (here)
//   TileExchange    A(i,r,k) and this rank's share of B(r,j), between nodes  (exchange/)
//   TileGather      B(r,j), inside the node                                  (gather/)
//   RoundSum        A(i,r,k) * B(r,j), summed over the rounds                (local/)

/// C(i,j,k) = sum over r of A(i,r,k) * B(r,j): Algorithms 1 and 2 of the paper, for any grid of nodes.
///
/// The stagger is in the schedule: round t of node (i,j) is base block r = (t + i + j) mod Q. Nodes do not
/// wait for each other except for tiles; the ranks of a node meet once a round, in assemble(). Where B is cut
/// into panels of columns, each has its Q rounds, one panel after the other.
template <class Types>
void multiplyRounds(int rounds, TileExchange<Types>& exchange, TileGather<Types>& gather,
                    RoundSum<Types>& C_ijk) {
  for (int t = 0; t < rounds; ++t) {
    const Region round("Trident::multiply::round");
    const TileSlice<Types> A_irk = exchange.receiveA(t);  // Algorithm 1, line 4
    exchange.receiveB(t);                                 // Algorithm 1, line 5: B(r,j,k)
    const GatheredTile<Types> B_rj = gather.assemble(t);  // Algorithm 2, line 1
    exchange.fetchAhead(t);                               // the next panel, if this round completes one
    C_ijk.accumulate(A_irk, B_rj);                        // Algorithm 1, line 6; Algorithm 2, line 2
  }
  exchange.finish();
}

}  // namespace Trident

#endif
