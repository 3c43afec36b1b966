#ifndef TRIDENT_TEST_DIFFERENTIAL_CASES_HPP
#define TRIDENT_TEST_DIFFERENTIAL_CASES_HPP

#include <cstdint>
#include <vector>

#include "TestMatrices.hpp"

// What the differential tests sweep: products, layouts (map kinds) and topologies.

namespace Trident::Test {

/// op(A) is rows x inner, op(B) is inner x columns. A product of one matrix with itself passes the same
/// object twice.
struct ProductCase {
  const char* name;
  Shape a, b;
  std::int64_t rows, inner, columns;
  bool itself = false;
};

inline const std::vector<ProductCase> productCases = {
    {"square", Shape::random, Shape::random, 60, 60, 60},
    {"itself", Shape::random, Shape::random, 64, 64, 64, true},
    {"rectangular", Shape::random, Shape::random, 70, 45, 90},
    {"tall", Shape::random, Shape::random, 120, 20, 9},
    {"wide", Shape::random, Shape::random, 11, 30, 140},
    {"tridiagonal", Shape::tridiagonal, Shape::tridiagonal, 100, 100, 100, true},
    {"stencil", Shape::stencil, Shape::stencil, 144, 144, 144, true},
    {"blockDiagonal", Shape::blockDiagonal, Shape::random, 80, 80, 80},
    {"blockDiagonalItself", Shape::blockDiagonal, Shape::blockDiagonal, 75, 75, 75, true},
    {"denseRow", Shape::denseRow, Shape::random, 50, 50, 50},
    {"denseColumn", Shape::denseColumn, Shape::denseRow, 50, 40, 60},
    {"emptyRows", Shape::emptyRows, Shape::emptyRows, 66, 66, 66},
    {"emptyA", Shape::empty, Shape::random, 30, 40, 50},
    {"emptyB", Shape::random, Shape::empty, 50, 40, 30},
    {"tiny", Shape::dense, Shape::dense, 3, 4, 5},
    {"tinyItself", Shape::random, Shape::random, 5, 5, 5, true},
    {"oneByOne", Shape::dense, Shape::dense, 1, 1, 1, true},
    {"explicitZerosA", Shape::explicitZeros, Shape::random, 60, 50, 60},
    {"explicitZerosB", Shape::random, Shape::explicitZeros, 50, 60, 40},
    {"explicitZerosItself", Shape::explicitZeros, Shape::explicitZeros, 55, 55, 55, true},
    {"farBand", Shape::farBand, Shape::farBand, 90, 90, 90, true},
    {"hugeEntry", Shape::hugeEntry, Shape::random, 60, 60, 60},
    {"outer", Shape::dense, Shape::dense, 40, 1, 50},
    {"inner", Shape::dense, Shape::dense, 1, 60, 1},
    {"sparse", Shape::sparseRandom, Shape::sparseRandom, 200, 300, 150},
    {"diagonal", Shape::diagonal, Shape::random, 77, 77, 77},
};

/// The maps of a product: of C's rows, of the inner dimension as A's domain and as B's rows, of C's columns.
struct Layout {
  const char* name;
  Spread rows, domainOfA, rowsOfB, columns;
  GO offset = 0, stride = 1;
  Columns style = Columns::fitted;
  bool otherRange = false;  ///< A's and B's range maps are cyclic whatever their row maps are
};

inline const std::vector<Layout> layouts = {
    {"uniform", Spread::uniform, Spread::uniform, Spread::uniform, Spread::uniform},
    {"uneven", Spread::uneven, Spread::uneven, Spread::uneven, Spread::uneven},
    {"oneRank", Spread::oneRank, Spread::oneRank, Spread::oneRank, Spread::oneRank},
    {"cyclic", Spread::cyclic, Spread::cyclic, Spread::cyclic, Spread::cyclic},
    {"roundAbout", Spread::roundAbout, Spread::roundAbout, Spread::roundAbout, Spread::roundAbout},
    {"shuffled", Spread::shuffled, Spread::shuffled, Spread::shuffled, Spread::shuffled},
    {"base7", Spread::uniform, Spread::uniform, Spread::uniform, Spread::uniform, 7},
    {"strided", Spread::uneven, Spread::uniform, Spread::uniform, Spread::cyclic, 5, 3},
    {"otherDomain", Spread::uniform, Spread::cyclic, Spread::uniform, Spread::uneven},
    {"permuted", Spread::uniform, Spread::shuffled, Spread::shuffled, Spread::uniform},
    {"oddColumns", Spread::uniform, Spread::uniform, Spread::uniform, Spread::uniform, 0, 1, Columns::odd},
    {"unsorted", Spread::uniform, Spread::uniform, Spread::uniform, Spread::uniform, 0, 1, Columns::unsorted},
    {"everything", Spread::shuffled, Spread::uneven, Spread::roundAbout, Spread::cyclic, 5, 3, Columns::odd},
    {"otherRange", Spread::uniform, Spread::uniform, Spread::uniform, Spread::shuffled, 0, 1, Columns::fitted,
     true},
};

/// "trident: ranks per node" and "trident: grid" for a communicator of `ranks`.
struct TopologyCase {
  int ranks;
  const char* perNode;
  const char* grid;
};

inline const std::vector<TopologyCase> topologyCases = {
    {1, "1", "1x1"},
    {1, "4", "1x1"},
    {2, "1", "2x1"},
    {2, "1", "1x2"},
    {2, "2", "1x1"},
    {3, "1", "3x1"},
    {3, "1,2", "2x1"},
    {3, "1", "1x3"},
    {3, "3", "1x1"},
    {4, "1", "2x2"},
    {4, "1,2,1", "3x1"},
    {4, "2", "2x1"},
    {4, "1", "1x4"},
    {4, "4", "1x1"},
    {5, "2,3", "1x2"},
    {5, "2,1,2", "3x1"},
    {5, "1,1,1,2", "2x2"},
    {6, "1", "2x3"},
    {6, "1", "3x2"},
    {6, "2", "1x3"},
    {6, "1,2,1,2", "2x2"},
    {6, "1", "6x1"},
    {6, "3", "2x1"},
    {7, "2,3,2", "3x1"},
    {7, "1,2,1,3", "2x2"},
    {7, "2,1,1,1,1,1", "3x2"},
    {8, "2", "2x2"},
    {8, "5,3", "2x1"},
    {8, "1,1,2,1,1,2", "2x3"},
    {8, "4", "1x2"},
    {8, "2", "4x1"},
    {8, "1", "2x4"},
    {9, "1", "3x3"},
    {9, "3", "3x1"},
    {9, "2,3,2,2", "2x2"},
    {9, "1", "9x1"},
    {10, "2", "5x1"},
    {10, "3,2", "2x2"},
    {10, "2,1,2,2,1,2", "2x3"},
    {12, "3,5,4", "3x1"},
    {12, "2", "3x2"},
    {12, "3", "2x2"},
    {12, "1,1,2", "3x3"},
    {12, "2", "1x6"},
    {13, "3,5,4", "2x2"},
    {13, "2,1", "3x3"},
    {13, "7,6", "1x2"},
    {15, "5", "3x1"},
    {15, "3,4,4,4", "2x2"},
    {15, "2,1,2,2,1,2,2,1,2", "3x3"},
    {16, "4", "2x2"},
    {16, "2", "4x2"},
    {16, "2,2,2,2,2,2,2,1,1", "3x3"},
    {16, "3,5,8", "1x3"},
    {16, "3,3,2,3,3,2", "2x3"},
    {16, "4", "4x1"},
    {16, "16", "1x1"},
    {16, "8", "2x1"},
};

/// "trident: filter" and "trident: tiles from"; cycled through like the engine's settings below, and each
/// topology meets several.
struct TilesCase {
  const char* filter;
  const char* source;
};

inline const std::vector<TilesCase> tilesCases = {
    {"whole", "owners"}, {"needed", "owners"}, {"whole", "tiles"}, {"needed", "tiles"},
    {"auto", "auto"},    {"needed", "auto"},   {"auto", "tiles"},
};

/// How the engine is told to work; cycled through, so that every choice meets every product and layout.
struct EngineCase {
  const char* gather;
  const char* local;
  int batch, ahead;
  long long maxMessage;  ///< 0: the default
  int panels = 0;        ///< 0: the plan's
};

inline const std::vector<EngineCase> engineCases = {
    {"shared window", "host", 0, 2, 0},
    {"allgatherv", "kokkoskernels", 1, 1, 0},
    {"allgatherv", "host", 2, 1, 64, 3},
    {"shared window", "kokkoskernels", 0, 3, 100},
    {"auto", "auto", 1, 2, 0, 2},
    {"shared window", "host", 1, 1, 40},
    {"shared window", "kokkoskernels", 2, 2, 0, 2},
    {"allgatherv", "host", 0, 3, 0},
    {"shared window", "host", 0, 1, 0, 5},
};

}  // namespace Trident::Test

#endif
