#include "TestProducts.hpp"

#include <Tpetra_Details_extractMpiCommFromTeuchos.hpp>
#include <Tpetra_Vector.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <sstream>

namespace Trident::Test {
namespace {

constexpr double tolerance = 64 * std::numeric_limits<double>::epsilon();

using Row = std::map<std::int64_t, Scalar>;

/// The local rows of a matrix, by global indices. A column stored twice makes `twice` true.
struct Rows {
  std::map<std::int64_t, Row> row;
  bool twice = false;
};

Rows rowsOf(const Matrix& a) {
  Rows rows;
  const auto& rowMap = *a.getRowMap();
  const auto& columnMap = *a.getColMap();
  const auto local = a.getLocalMatrixHost();
  for (LO lid = 0; lid < static_cast<LO>(local.numRows()); ++lid) {
    auto& row = rows.row[rowMap.getGlobalElement(lid)];
    for (size_t e = local.graph.row_map(lid); e < local.graph.row_map(lid + 1); ++e) {
      const GO column = columnMap.getGlobalElement(local.graph.entries(e));
      rows.twice |= !row.emplace(column, local.values(e)).second;
    }
  }
  return rows;
}

const Row& rowOrNone(const ReferenceMatrix& m, std::int64_t i) {
  static const Row none;
  const auto found = m.row.find(i);
  return found == m.row.end() ? none : found->second;
}

/// The first difference between two rows; `bound` null asks for equal values.
std::string rowDifference(std::int64_t i, const Row& expected, const Row& found, const Row* bound) {
  std::ostringstream text;
  text.precision(17);
  auto e = expected.begin();
  for (auto f = found.begin(); e != expected.end() || f != found.end(); ++e, ++f) {
    if (f == found.end() || (e != expected.end() && e->first < f->first)) {
      text << "entry (" << i << ',' << e->first << ") = " << e->second << " is missing";
      return text.str();
    }
    if (e == expected.end() || f->first < e->first) {
      text << "entry (" << i << ',' << f->first << ") = " << f->second << " should not be there";
      return text.str();
    }
    const double allowed = bound == nullptr ? 0 : tolerance * bound->at(e->first);
    if (!(std::abs(e->second - f->second) <= allowed)) {
      text << "entry (" << i << ',' << e->first << ") is " << f->second << ", should be " << e->second
           << " within " << allowed;
      return text.str();
    }
  }
  return {};
}

template <class T>
std::vector<T> concatenated(MPI_Comm comm, const std::vector<T>& mine, MPI_Datatype type) {
  int ranks = 0, count = static_cast<int>(mine.size());
  MPI_Comm_size(comm, &ranks);
  std::vector<int> counts(ranks), starts(ranks + 1, 0);
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  std::partial_sum(counts.begin(), counts.end(), starts.begin() + 1);
  std::vector<T> all(starts.back());
  MPI_Allgatherv(mine.data(), count, type, all.data(), counts.data(), starts.data(), type, comm);
  return all;
}

/// Rows whose local column indices do not ascend strictly.
bool unsortedRows(const Matrix& c) {
  const auto local = c.getLocalMatrixHost();
  for (LO lid = 0; lid < static_cast<LO>(local.numRows()); ++lid) {
    for (size_t e = local.graph.row_map(lid) + 1; e < local.graph.row_map(lid + 1); ++e) {
      if (!(local.graph.entries(e - 1) < local.graph.entries(e))) return true;
    }
  }
  return false;
}

/// The column map begins with the domain map's indices, in their order. (Map::isLocallyFitted says no on
/// ranks that own nothing.)
bool fitted(const Map& columnMap, const Map& domainMap) {
  const LO own = domainMap.getMaxLocalIndex() + 1;
  if (columnMap.getMaxLocalIndex() + 1 < own) return false;
  for (LO lid = 0; lid < own; ++lid) {
    if (columnMap.getGlobalElement(lid) != domainMap.getGlobalElement(lid)) return false;
  }
  return true;
}

std::string brokenImporter(const Matrix& c, const Map& domainMap) {
  const auto importer = c.getGraph()->getImporter();
  const bool needed = !c.getColMap()->isSameAs(domainMap);
  // Where a factor has one, Tpetra's C has one too, though it may find all its columns at home.
  const bool allowed = needed || c.getComm()->getSize() > 1;
  if (importer.is_null() ? needed : !allowed) {
    return needed ? "importer is null though the column map is not the domain map; "
                  : "importer is there though the column map is the domain map; ";
  }
  if (importer.is_null()) return {};
  std::string wrong;
  if (!importer->getTargetMap()->isSameAs(*c.getColMap()))
    wrong += "importer's target is not the column map; ";
  if (!importer->getSourceMap()->isSameAs(domainMap)) wrong += "importer's source is not the domain map; ";
  return wrong;
}

}  // namespace

MPI_Comm mpiComm(const Comm& comm) { return Tpetra::Details::extractMpiCommFromTeuchos(*comm); }

std::string name(const Op& op) {
  return std::string(op.transposeA ? "A^T " : "A ") + (op.transposeB ? "B^T" : "B");
}

ReferenceMatrix gathered(const Matrix& a) {
  std::vector<long long> places;
  std::vector<double> values;
  for (const auto& [i, row] : rowsOf(a).row) {
    for (const auto& [j, value] : row) {
      places.insert(places.end(), {i, j});
      values.push_back(value);
    }
  }
  const auto comm = mpiComm(a.getComm());
  places = concatenated(comm, places, MPI_LONG_LONG);
  values = concatenated(comm, values, MPI_DOUBLE);
  ReferenceMatrix whole;
  for (size_t e = 0; e < values.size(); ++e) whole.row[places[2 * e]][places[2 * e + 1]] += values[e];
  return whole;
}

Expected expectedProduct(const Matrix& a, const Matrix& b, const Op& op) {
  auto left = gathered(a), right = gathered(b);
  if (op.transposeA) left = Reference::transposed(left);
  if (op.transposeB) right = Reference::transposed(right);
  return {Reference::product(left, right, true),
          Reference::product(Reference::absolute(left), Reference::absolute(right), true)};
}

ProductMaps productMaps(const Matrix& a, const Matrix& b, const Op& op) {
  return {op.transposeA ? a.getDomainMap() : a.getRowMap(),
          op.transposeB ? b.getRangeMap() : b.getDomainMap(),
          op.transposeA ? a.getDomainMap() : a.getRangeMap()};
}

std::string differenceToReference(const Matrix& c, const Expected& expected) {
  const auto rows = rowsOf(c);
  if (rows.twice) return "a column is stored twice in one row";
  for (const auto& [i, row] : rows.row) {
    const auto& bound = rowOrNone(expected.bound, i);
    const auto wrong = rowDifference(i, rowOrNone(expected.product, i), row, &bound);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string differenceTo(const Matrix& other, const Matrix& c, const Expected* expected) {
  const auto theirs = rowsOf(other), ours = rowsOf(c);
  if (ours.twice) return "a column is stored twice in one row";
  if (theirs.row.size() != ours.row.size()) return "the number of local rows differs";
  for (const auto& [i, row] : theirs.row) {
    const auto found = ours.row.find(i);
    if (found == ours.row.end()) return "row " + std::to_string(i) + " lies on another rank";
    const auto* bound = expected == nullptr ? nullptr : &rowOrNone(expected->bound, i);
    const auto wrong = rowDifference(i, row, found->second, bound);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string brokenPromises(const Matrix& c, const ProductMaps& maps, const Promises& promises) {
  std::string wrong;
  auto expect = [&](bool good, const char* otherwise) {
    if (!good) wrong += std::string(otherwise) + "; ";
  };
  expect(c.isFillComplete(), "not fill complete");
  if (!c.isFillComplete()) return wrong;
  expect(!c.isFillActive(), "fill is active");
  expect(c.isLocallyIndexed() && !c.isGloballyIndexed(), "not locally indexed");
  expect(c.getRowMap()->isSameAs(*maps.row), "row map differs from op(A)'s");
  expect(c.getDomainMap()->isSameAs(*maps.domain), "domain map differs from op(B)'s");
  expect(c.getRangeMap()->isSameAs(*maps.range), "range map differs from op(A)'s");
  expect(!promises.fittedColumns || fitted(*c.getColMap(), *maps.domain),
         "column map is not fitted to the domain map");
  wrong += brokenImporter(c, *maps.domain);
  expect(c.getGraph()->getExporter().is_null() == c.getRowMap()->isSameAs(*c.getRangeMap()),
         "exporter does not fit row and range map");
  expect(c.getCrsGraph()->isSorted(), "isSorted() is false");
  expect(!unsortedRows(c), "rows are not sorted");
  expect(c.getCrsGraph()->haveGlobalConstants() == promises.globalConstants,
         promises.globalConstants ? "global constants are missing"
                                  : "global constants are there though not wanted");
  return wrong;
}

std::string wrongApply(const Matrix& c, const Expected& expected) {
  Vector x(c.getDomainMap()), y(c.getRangeMap());
  const auto& domain = *c.getDomainMap();
  const auto& range = *c.getRangeMap();
  const auto& xOf = [](std::int64_t j) { return valueAt(j, 17, 99); };
  for (LO lid = 0; lid <= domain.getMaxLocalIndex(); ++lid) {
    x.replaceLocalValue(lid, xOf(domain.getGlobalElement(lid)));
  }
  c.apply(x, y);
  const auto found = y.getData(0);
  for (LO lid = 0; lid <= range.getMaxLocalIndex(); ++lid) {
    const std::int64_t i = range.getGlobalElement(lid);
    double sum = 0, bound = 0;
    for (const auto& [j, value] : rowOrNone(expected.product, i)) sum += value * xOf(j);
    for (const auto& [j, value] : rowOrNone(expected.bound, i)) bound += value;
    if (!(std::abs(found[lid] - sum) <= tolerance * bound)) {
      std::ostringstream text;
      text << "(C x)_" << i << " is " << found[lid] << ", should be " << sum;
      return text.str();
    }
  }
  return {};
}

bool sameBits(const Matrix& a, const Matrix& b) {
  const auto x = a.getLocalMatrixHost(), y = b.getLocalMatrixHost();
  auto same = [](const auto& u, const auto& v) {
    using Value = typename std::decay_t<decltype(u)>::value_type;
    return u.extent(0) == v.extent(0) &&
           (u.extent(0) == 0 || std::memcmp(u.data(), v.data(), u.extent(0) * sizeof(Value)) == 0);
  };
  if (a.getColMap()->getMaxLocalIndex() != b.getColMap()->getMaxLocalIndex()) return false;
  for (LO lid = 0; lid <= a.getColMap()->getMaxLocalIndex(); ++lid) {
    if (a.getColMap()->getGlobalElement(lid) != b.getColMap()->getGlobalElement(lid)) return false;
  }
  return same(x.graph.row_map, y.graph.row_map) && same(x.graph.entries, y.graph.entries) &&
         same(x.values, y.values);
}

std::vector<std::string> textsOfAllRanks(MPI_Comm comm, const std::string& text) {
  std::vector<char> mine(text.begin(), text.end());
  mine.push_back('\0');
  const auto all = concatenated(comm, mine, MPI_CHAR);
  std::vector<std::string> texts;
  for (size_t at = 0; at < all.size(); at += texts.back().size() + 1) texts.emplace_back(&all[at]);
  return texts;
}

}  // namespace Trident::Test
