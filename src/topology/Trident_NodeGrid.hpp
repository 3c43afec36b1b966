#ifndef TRIDENT_NODE_GRID_HPP
#define TRIDENT_NODE_GRID_HPP

#include <iosfwd>
#include <string>

namespace Trident {

/// A p_r x p_c arrangement of N = p_r * p_c nodes and the blocks it cuts matrices into.
///
/// Node v stands in node row i = v / p_c and node column j = v % p_c. The inner dimension is cut into
/// Q = lcm(p_r, p_c) base blocks: the indices that node v owns in 1D belong to base block baseBlock(v). Row
/// blocks and column blocks are runs of base blocks. (Paper, section 3.2, for p_r = p_c.)
struct NodeGrid {
  int rows = 1;  ///< p_r
  int cols = 1;  ///< p_c

  int nodes() const { return rows * cols; }

  /// Q, the number of base blocks and of rounds.
  int rounds() const;

  int row(int node) const { return node / cols; }
  int col(int node) const { return node % cols; }
  int node(int row, int col) const { return row * cols + col; }

  int baseBlock(int node) const;
  int rowBlock(int baseBlock) const { return baseBlock / (rounds() / rows); }
  int colBlock(int baseBlock) const { return baseBlock / (rounds() / cols); }

  /// Base block that node (i, j) works on in round t: Cannon's stagger with tiles that never move owner
  /// (paper, Algorithm 1, line 2).
  int stagger(int t, int i, int j) const { return (t + i + j) % rounds(); }

  /// The divisor pair of N nearest to a square, p_r >= p_c: q x q when N is a square, N x 1 when it is prime.
  static NodeGrid nearlySquare(int nodes);

  /// Reads "2x3". Throws std::invalid_argument unless it is two positive numbers whose product is `nodes`.
  static NodeGrid parse(const std::string& text, int nodes);
};

inline bool operator==(const NodeGrid& a, const NodeGrid& b) { return a.rows == b.rows && a.cols == b.cols; }

/// Prints "2x3".
std::ostream& operator<<(std::ostream& out, const NodeGrid& grid);

}  // namespace Trident

#endif
