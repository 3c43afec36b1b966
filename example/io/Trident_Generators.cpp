#include "io/Trident_Generators.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace Trident::IO {

namespace {

/// Streams keep the numbers of one purpose apart from those of another under the same seed.
enum Stream : std::uint64_t { drawColumn = 1, drawValue, drawEdge, drawRenumbering };

constexpr std::uint64_t goldenStep = 0x9e3779b97f4a7c15;

/// Bijective scrambler of 64 bits; the two factors are the published ones of SplitMix64.
std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Start of the numbers of one stream.
std::uint64_t streamBase(std::uint64_t seed, std::uint64_t stream) {
  return scramble(scramble(seed + goldenStep) + (stream + 1) * goldenStep);
}

/// Number `counter` of the stream that starts at `base`; may itself be the base of a stream below.
std::uint64_t draw(std::uint64_t base, std::uint64_t counter) {
  return scramble(base + (counter + 1) * goldenStep);
}

/// Upper half of the 128-bit product, in 32-bit pieces because ISO C++ has no 128-bit integer.
std::uint64_t multiplyHigh(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low32 = 0xffffffff;
  const std::uint64_t aLow = a & low32, aHigh = a >> 32;
  const std::uint64_t bLow = b & low32, bHigh = b >> 32;
  const std::uint64_t middle = aHigh * bLow + ((aLow * bLow) >> 32);
  const std::uint64_t carry = aLow * bHigh + (middle & low32);
  return aHigh * bHigh + (middle >> 32) + (carry >> 32);
}

/// Uniform in 0..n-1; the bias is at most n / 2^64.
std::int64_t uniformBelow(std::int64_t n, std::uint64_t random) {
  return static_cast<std::int64_t>(multiplyHigh(static_cast<std::uint64_t>(n), random));
}

/// Uniform in [1,2), on a grid of 2^-52, so every value is exact.
double uniformOneToTwo(std::uint64_t random) { return 1.0 + static_cast<double>(random >> 12) * 0x1p-52; }

void require(bool condition, const std::string& text) {
  if (!condition) throw std::invalid_argument("Trident::IO generator: " + text);
}

RowBlock startBlock(std::int64_t rows, std::int64_t firstRow, std::int64_t lastRow) {
  require(0 <= firstRow && firstRow <= lastRow && lastRow <= rows,
          "row range " + std::to_string(firstRow) + ".." + std::to_string(lastRow) + " is not within 0.." +
              std::to_string(rows));
  RowBlock block;
  block.firstRow = firstRow;
  block.rowPtr.reserve(static_cast<std::size_t>(lastRow - firstRow) + 1);
  return block;
}

/// One edge as row << 32 | column, so that plain integer order is row-major order.
std::uint64_t drawRmatEdge(int scale, std::uint64_t edgeBase) {
  // Bounds of the first three quadrants, cumulated, on a scale of 2^32: .57, .76, .95.
  constexpr std::uint64_t bounds[] = {2448131359, 3264175145, 4080218931};
  std::uint64_t row = 0;
  std::uint64_t col = 0;
  std::uint64_t random = 0;
  for (int level = 0; level < scale; ++level) {
    // A random number has bits for two levels.
    random = level % 2 == 0 ? draw(edgeBase, static_cast<std::uint64_t>(level)) : random >> 32;
    const std::uint64_t u = random & 0xffffffff;
    const bool lower = u >= bounds[1];
    const bool right = lower ? u >= bounds[2] : u >= bounds[0];
    row = row << 1 | (lower ? 1 : 0);
    col = col << 1 | (right ? 1 : 0);
  }
  return row << 32 | col;
}

/// Seeded bijection of the numbers below 2^scale. Adding, multiplying by an odd number and folding the high
/// bits down can each be undone within `scale` bits.
class Renumbering {
 public:
  Renumbering(int scale, std::uint64_t seed)
      : mask_((std::uint64_t(1) << scale) - 1), halfBits_(std::max(1, scale / 2)) {
    for (std::size_t round = 0; round < 4; ++round)
      keys_[round] = counterRandom(seed, drawRenumbering, round);
  }

  std::uint64_t operator()(std::uint64_t vertex) const {
    for (const std::uint64_t key : keys_) {
      vertex = ((vertex + (key >> 32)) * (key | 1)) & mask_;
      vertex ^= vertex >> halfBits_;
    }
    return vertex;
  }

 private:
  std::uint64_t mask_;
  int halfBits_;
  std::uint64_t keys_[4] = {};
};

struct Grid {
  std::int64_t nx, ny, nz;
};

std::int64_t gridPoints(const Grid& grid) {
  require(grid.nx > 0 && grid.ny > 0 && grid.nz > 0, "grid sizes must be positive");
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  require(grid.nx <= largest / grid.ny && grid.nx * grid.ny <= largest / grid.nz, "grid too large for int64");
  return grid.nx * grid.ny * grid.nz;
}

/// Appends one stencil row. Steps run z, y, x from low to high, which makes the columns ascend.
void appendStencilRow(const Grid& grid, bool corners, std::int64_t row, RowBlock& block) {
  const std::int64_t x = row % grid.nx;
  const std::int64_t y = row / grid.nx % grid.ny;
  const std::int64_t z = row / grid.nx / grid.ny;
  for (std::int64_t dz = -1; dz <= 1; ++dz)
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const bool centre = dx == 0 && dy == 0 && dz == 0;
        if (!corners && dx * dx + dy * dy + dz * dz > 1) continue;
        if (x + dx < 0 || x + dx >= grid.nx || y + dy < 0 || y + dy >= grid.ny || z + dz < 0 ||
            z + dz >= grid.nz)
          continue;
        block.col.push_back(row + dx + grid.nx * (dy + grid.ny * dz));
        block.value.push_back(!centre ? -1.0 : corners ? 26.0 : 6.0);
      }
  block.rowPtr.push_back(block.col.size());
}

RowBlock stencil(const Grid& grid, bool corners, std::int64_t firstRow, std::int64_t lastRow) {
  RowBlock block = startBlock(gridPoints(grid), firstRow, lastRow);
  const std::size_t most = static_cast<std::size_t>(lastRow - firstRow) * (corners ? 27 : 7);
  block.col.reserve(most);
  block.value.reserve(most);
  for (std::int64_t row = firstRow; row < lastRow; ++row) appendStencilRow(grid, corners, row, block);
  return block;
}

}  // namespace

std::uint64_t counterRandom(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  return draw(streamBase(seed, stream), counter);
}

RowBlock erdosRenyi(std::int64_t n, int degree, std::uint64_t seed, std::int64_t firstRow,
                    std::int64_t lastRow) {
  require(n >= 0 && degree >= 0, "size and degree must not be negative");
  RowBlock block = startBlock(n, firstRow, lastRow);
  std::vector<std::int64_t> cols(static_cast<std::size_t>(degree));
  for (std::int64_t row = firstRow; row < lastRow; ++row) {
    const std::uint64_t colBase = counterRandom(seed, drawColumn, static_cast<std::uint64_t>(row));
    const std::uint64_t valueBase = counterRandom(seed, drawValue, static_cast<std::uint64_t>(row));
    for (std::size_t k = 0; k < cols.size(); ++k) cols[k] = uniformBelow(n, draw(colBase, k));
    std::sort(cols.begin(), cols.end());
    const auto end = std::unique(cols.begin(), cols.end());
    for (auto col = cols.begin(); col != end; ++col) {
      // By column, not by draw: a repeat then has no say in the value.
      block.col.push_back(*col);
      block.value.push_back(uniformOneToTwo(draw(valueBase, static_cast<std::uint64_t>(*col))));
    }
    block.rowPtr.push_back(block.col.size());
  }
  return block;
}

std::uint64_t renumberVertex(std::uint64_t vertex, int scale, std::uint64_t seed) {
  return Renumbering(scale, seed)(vertex);
}

RowBlock rmat(int scale, int edgesPerRow, std::uint64_t seed, std::int64_t firstRow, std::int64_t lastRow) {
  require(scale >= 0 && scale <= 31, "scale must be 0 to 31");
  require(edgesPerRow >= 0, "edges per row must not be negative");
  const std::int64_t n = std::int64_t(1) << scale;
  RowBlock block = startBlock(n, firstRow, lastRow);
  const auto edges = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(edgesPerRow);
  const std::uint64_t low32 = 0xffffffff;
  const std::uint64_t base = streamBase(seed, drawEdge);
  const Renumbering renumber(scale, seed);
  std::vector<std::uint64_t> own;
  for (std::uint64_t edge = 0; edge < edges; ++edge) {
    const std::uint64_t drawn = drawRmatEdge(scale, draw(base, edge));
    const std::uint64_t row = renumber(drawn >> 32);
    if (row < static_cast<std::uint64_t>(firstRow) || row >= static_cast<std::uint64_t>(lastRow)) continue;
    own.push_back(row << 32 | renumber(drawn & low32));
  }
  std::sort(own.begin(), own.end());
  auto next = own.begin();
  for (std::int64_t row = firstRow; row < lastRow; ++row) {
    while (next != own.end() && static_cast<std::int64_t>(*next >> 32) == row) {
      const auto after = std::upper_bound(next, own.end(), *next);
      block.col.push_back(static_cast<std::int64_t>(*next & low32));
      block.value.push_back(static_cast<double>(after - next));
      next = after;
    }
    block.rowPtr.push_back(block.col.size());
  }
  return block;
}

RowBlock stencil7(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t firstRow,
                  std::int64_t lastRow) {
  return stencil({nx, ny, nz}, false, firstRow, lastRow);
}

RowBlock stencil27(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t firstRow,
                   std::int64_t lastRow) {
  return stencil({nx, ny, nz}, true, firstRow, lastRow);
}

RowBlock aggregation(std::int64_t rows, std::int64_t aggregateSize, std::int64_t firstRow,
                     std::int64_t lastRow) {
  require(rows >= 0 && aggregateSize > 0, "rows must not be negative and aggregates not empty");
  RowBlock block = startBlock(rows, firstRow, lastRow);
  for (std::int64_t row = firstRow; row < lastRow; ++row) {
    block.col.push_back(row / aggregateSize);
    block.value.push_back(1.0);
    block.rowPtr.push_back(block.col.size());
  }
  return block;
}

}  // namespace Trident::IO
