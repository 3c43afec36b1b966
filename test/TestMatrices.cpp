#include "TestMatrices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Trident::Test {
namespace {

using Positions = std::vector<std::int64_t>;

std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15ull + b * 0xC2B2AE3D27D4EB4Full + c * 0x165667B19E3779F9ull + 1;
  for (int round = 0; round < 3; ++round) {  // splitmix64's finaliser
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    x ^= x >> 31;
  }
  return x;
}

template <class T>
void shuffle(std::vector<T>& items, unsigned seed) {
  std::sort(items.begin(), items.end(), [&](T a, T b) {
    return mix(static_cast<std::uint64_t>(a), seed, 77) < mix(static_cast<std::uint64_t>(b), seed, 77);
  });
}

/// Sizes that differ, every third rank empty; with one rank that rank has all.
std::vector<std::int64_t> unevenSizes(std::int64_t n, int ranks) {
  std::vector<std::int64_t> weight(ranks);
  for (int r = 0; r < ranks; ++r) weight[r] = r % 3 == 1 ? 0 : 1 + (r * 5) % 7;
  const auto total = std::accumulate(weight.begin(), weight.end(), std::int64_t(0));
  std::vector<std::int64_t> sizes(ranks);
  std::int64_t given = 0;
  for (int r = 0; r < ranks; ++r) given += sizes[r] = n * weight[r] / total;
  sizes[ranks - 1 - (ranks > 1 && (ranks - 1) % 3 == 1)] += n - given;
  return sizes;
}

/// What a shape may look at to decide where entries are.
struct Frame {
  std::int64_t rows, columns;
  std::vector<int> rowOwner, columnOwner;
  unsigned seed;

  /// True for about `perRow` of the columns of each row.
  bool chance(std::int64_t i, std::int64_t j, double perRow) const {
    const double share = perRow / static_cast<double>(std::max<std::int64_t>(columns, 1));
    return static_cast<double>(mix(i, j, seed) >> 11) < share * 9007199254740992.0;
  }
};

bool stencilEntry(const Frame& f, std::int64_t i, std::int64_t j) {
  const auto width = std::max<std::int64_t>(1, std::llround(std::sqrt(static_cast<double>(f.rows))));
  const auto dx = std::abs(i % width - j % width), dy = std::abs(i / width - j / width);
  return dx + dy <= 1;
}

bool hasEntry(Shape shape, const Frame& f, std::int64_t i, std::int64_t j) {
  const auto middle = f.rows / 2, far = std::max<std::int64_t>(f.columns / 2, 1);
  switch (shape) {
    case Shape::random:
    case Shape::explicitZeros:
    case Shape::hugeEntry:
      return f.chance(i, j, 6);
    case Shape::sparseRandom:
      return f.chance(i, j, 1);
    case Shape::tridiagonal:
      return std::abs(i - j) <= 1;
    case Shape::stencil:
      return stencilEntry(f, i, j);
    case Shape::blockDiagonal:
      return f.rowOwner[i] == f.columnOwner[j] && f.chance(i, j, 40);
    case Shape::denseRow:
      return i == middle || f.chance(i, j, 3);
    case Shape::denseColumn:
      return j == f.columns / 3 || f.chance(i, j, 3);
    case Shape::emptyRows:
      return i % 3 == 0 && j % 3 != 1 && f.chance(i, j, 9);
    case Shape::empty:
      return false;
    case Shape::dense:
      return true;
    case Shape::diagonal:
      return i == j;
    case Shape::farBand:
      return std::abs(i - j) <= 1 || std::abs(i - j) == far;
  }
  return false;
}

Scalar entryValue(Shape shape, GO row, GO column, unsigned seed) {
  const auto draw = mix(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column), seed + 1000);
  if (shape == Shape::explicitZeros && draw % 3 == 0) return 0;
  if (shape == Shape::hugeEntry && draw % 97 == 0) return 1e150;
  return valueAt(row, column, seed);
}

/// One rank's rows by global indices, in the row map's local order.
struct LocalRows {
  std::vector<std::vector<GO>> columns;
  std::vector<std::vector<Scalar>> values;
  size_t longest = 0;
};

LocalRows rowsOf(const Map& rowMap, Shape shape, const Axis& rows, const Axis& columns, const Frame& frame) {
  LocalRows local;
  const LO count = rowMap.getMaxLocalIndex() + 1;
  local.columns.resize(count);
  local.values.resize(count);
  for (LO lid = 0; lid < count; ++lid) {
    const GO row = rowMap.getGlobalElement(lid);
    const std::int64_t i = (row - rows.offset) / rows.stride;
    for (std::int64_t j = 0; j < columns.size; ++j) {
      if (!hasEntry(shape, frame, i, j)) continue;
      local.columns[lid].push_back(columns.gid(j));
      local.values[lid].push_back(entryValue(shape, row, columns.gid(j), frame.seed));
    }
    local.longest = std::max(local.longest, local.columns[lid].size());
  }
  return local;
}

Teuchos::RCP<const Map> oddColumnMap(const Comm& comm, const LocalRows& local, const Axis& columns,
                                     unsigned seed) {
  std::vector<GO> needed;
  for (const auto& row : local.columns) needed.insert(needed.end(), row.begin(), row.end());
  if (columns.size > 0 && !local.columns.empty()) {
    needed.push_back(columns.gid((comm->getRank() * 7 + 3) % columns.size));
  }
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  shuffle(needed, seed + 5);
  const auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  return Teuchos::rcp(
      new Map(unknown, Teuchos::ArrayView<const GO>(needed.data(), needed.size()), columns.offset, comm));
}

Teuchos::RCP<Matrix> insertGlobally(const Teuchos::RCP<const Map>& rowMap, const LocalRows& local) {
  auto matrix = Teuchos::rcp(new Matrix(rowMap, local.longest));
  for (size_t lid = 0; lid < local.columns.size(); ++lid) {
    const auto& columns = local.columns[lid];
    if (columns.empty()) continue;
    matrix->insertGlobalValues(rowMap->getGlobalElement(static_cast<LO>(lid)),
                               static_cast<LO>(columns.size()), local.values[lid].data(), columns.data());
  }
  return matrix;
}

Teuchos::RCP<Matrix> insertLocally(const Teuchos::RCP<const Map>& rowMap, const LocalRows& local,
                                   const Teuchos::RCP<const Map>& columnMap) {
  auto matrix = Teuchos::rcp(new Matrix(rowMap, columnMap, local.longest));
  for (size_t lid = 0; lid < local.columns.size(); ++lid) {
    std::vector<LO> columns;
    for (const GO column : local.columns[lid]) columns.push_back(columnMap->getLocalElement(column));
    if (columns.empty()) continue;
    matrix->insertLocalValues(static_cast<LO>(lid), static_cast<LO>(columns.size()), local.values[lid].data(),
                              columns.data());
  }
  return matrix;
}

/// From arrays as they are: the column map's order is random, so rows that ascend by global index do not
/// ascend by local index.
Teuchos::RCP<Matrix> fromUnsortedArrays(const Teuchos::RCP<const Map>& rowMap, const LocalRows& local,
                                        const Teuchos::RCP<const Map>& columnMap) {
  const size_t count = local.columns.size();
  Teuchos::ArrayRCP<size_t> pointers(count + 1, 0);
  for (size_t lid = 0; lid < count; ++lid) pointers[lid + 1] = pointers[lid] + local.columns[lid].size();
  Teuchos::ArrayRCP<LO> columns(pointers[count]);
  Teuchos::ArrayRCP<Scalar> values(pointers[count]);
  for (size_t lid = 0; lid < count; ++lid) {
    for (size_t e = 0; e < local.columns[lid].size(); ++e) {
      columns[pointers[lid] + e] = columnMap->getLocalElement(local.columns[lid][e]);
      values[pointers[lid] + e] = local.values[lid][e];
    }
  }
  auto params = Teuchos::parameterList();
  params->set("sorted", false);
  return Teuchos::rcp(new Matrix(rowMap, columnMap, pointers, columns, values, params));
}

}  // namespace

double valueAt(std::int64_t row, std::int64_t column, unsigned seed) {
  const auto bits = mix(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column), seed) >> 11;
  return static_cast<double>(bits) / 4503599627370496.0 - 1.0;
}

std::vector<int> Axis::owners(int ranks) const {
  std::vector<int> owner(size);
  const auto base = size / ranks, extra = size % ranks;  // as Tpetra cuts: the first `extra` get one more
  std::vector<std::int64_t> sizes(ranks, base);
  for (std::int64_t r = 0; r < extra; ++r) ++sizes[r];
  if (spread == Spread::uneven) sizes = unevenSizes(size, ranks);
  std::int64_t p = 0;
  for (int r = 0; r < ranks; ++r)
    for (std::int64_t s = 0; s < sizes[r]; ++s) owner[p++] = r;
  for (p = 0; p < size; ++p) {
    if (spread == Spread::oneRank) owner[p] = ranks / 2;
    if (spread == Spread::cyclic) owner[p] = static_cast<int>(p % ranks);
    if (spread == Spread::roundAbout) owner[p] = ranks - 1 - static_cast<int>(p % ranks);
    if (spread == Spread::shuffled) owner[p] = static_cast<int>(mix(p, 11, size) % ranks);
  }
  return owner;
}

Teuchos::RCP<const Map> Axis::map(const Comm& comm) const {
  if (spread == Spread::uniform && stride == 1) {
    return Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(size), offset, comm));
  }
  const auto owner = owners(comm->getSize());
  std::vector<GO> mine;
  for (std::int64_t p = 0; p < size; ++p) {
    if (owner[p] == comm->getRank()) mine.push_back(gid(p));
  }
  if (spread == Spread::shuffled) shuffle(mine, 3);
  if (spread == Spread::roundAbout) std::reverse(mine.begin(), mine.end());
  return Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(size),
                              Teuchos::ArrayView<const GO>(mine.data(), mine.size()), offset, comm));
}

const char* name(Shape shape) {
  static const char* const names[] = {"random",   "sparseRandom",  "tridiagonal", "stencil",  "blockDiagonal",
                                      "denseRow", "denseColumn",   "emptyRows",   "empty",    "dense",
                                      "diagonal", "explicitZeros", "farBand",     "hugeEntry"};
  return names[static_cast<int>(shape)];
}

Teuchos::RCP<Matrix> buildMatrix(const Comm& comm, Shape shape, const Axis& rows, const Axis& columns,
                                 unsigned seed, Columns style, const Teuchos::RCP<const Map>& range) {
  const auto rowMap = rows.map(comm);
  const auto domainMap = columns.map(comm);
  const auto rangeMap = range.is_null() ? rowMap : range;
  const Frame frame{rows.size, columns.size, rows.owners(comm->getSize()), columns.owners(comm->getSize()),
                    seed};
  const auto local = rowsOf(*rowMap, shape, rows, columns, frame);

  Teuchos::RCP<Matrix> matrix;
  if (style == Columns::fitted) {
    matrix = insertGlobally(rowMap, local);
    matrix->fillComplete(domainMap, rangeMap);
    return matrix;
  }
  const auto columnMap = oddColumnMap(comm, local, columns, seed);
  if (style == Columns::odd) {
    matrix = insertLocally(rowMap, local, columnMap);
    matrix->fillComplete(domainMap, rangeMap);
  } else {
    matrix = fromUnsortedArrays(rowMap, local, columnMap);
    matrix->expertStaticFillComplete(domainMap, rangeMap);
  }
  return matrix;
}

}  // namespace Trident::Test
