#ifndef TRIDENT_TEST_TRIPLE_HPP
#define TRIDENT_TEST_TRIPLE_HPP

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "TestReuse.hpp"
#include "Trident_TripleMatrixMultiply.hpp"

// What the tests of triple products share.

namespace Trident::Test {

/// How the leftmost factor of a triple product comes.
enum class Left {
  implicitP,            ///< the very P, transposed: P must not be transposed itself
  otherTransposed,      ///< another matrix on A's rows, transposed
  explicitR,            ///< as it is, with columns on other ranks
  transposedElsewhere,  ///< transposed, its rows distributed otherwise than A's
  explicitElsewhere     ///< as it is, its domain map distributed otherwise than A's rows
};
constexpr Left allLefts[] = {Left::implicitP, Left::otherTransposed, Left::explicitR,
                             Left::transposedElsewhere, Left::explicitElsewhere};
inline const char* name(Left left) {
  static const char* const names[] = {"P^T", "other R^T", "R", "R^T of other rows", "R of other columns"};
  return names[static_cast<int>(left)];
}

/// The shapes of R, A and P, and who is transposed of A and P.
struct TripleCase {
  Left left = Left::implicitP;
  Op op = {};  ///< of A and P
  Shape R = Shape::random, A = Shape::random, P = Shape::random;
  Columns style = Columns::fitted;
};

/// The dimensions of Ac = R A P: coarse x fine, fine x inner, inner x columns.
struct TripleAxes {
  Axis coarse{30, Spread::cyclic, 5, 3}, fine{60, Spread::shuffled, 5, 3}, inner{50, Spread::uneven, 5, 3},
      columns{40, Spread::cyclic, 5, 3};
};

inline std::vector<Op> allOps() { return {{false, false}, {true, false}, {false, true}, {true, true}}; }

constexpr Spread tripleSpreads[] = {Spread::uniform, Spread::uneven, Spread::shuffled, Spread::cyclic};

/// Axes of which the fine one is spread so, the others otherwise.
inline TripleAxes axesSpread(size_t number) {
  TripleAxes axes;
  const auto spread = [&](size_t more) { return tripleSpreads[(number + more) % std::size(tripleSpreads)]; };
  axes.fine.spread = spread(0);
  axes.inner.spread = spread(1);
  axes.columns.spread = spread(2);
  axes.coarse.spread = spread(3);
  if (number % 2 == 0) {  // then Tpetra's own uniform maps are among them
    for (Axis* axis : {&axes.fine, &axes.inner, &axes.columns, &axes.coarse}) {
      axis->offset = 0;
      axis->stride = 1;
    }
  }
  return axes;
}

/// Three operands and their product.
struct Triple {
  explicit Triple(const Comm& comm, const TripleCase& of = {}, TripleAxes axes = {})
      : left(of.left), op(of.op) {
    if (left == Left::implicitP) {
      op.transposeB = false;
      axes.inner = axes.fine;
    }
    const auto build = [&](Shape shape, bool turned, const Axis& rows, const Axis& columns, unsigned seed) {
      return buildMatrix(comm, shape, turned ? columns : rows, turned ? rows : columns, seed, of.style);
    };
    a = build(of.A, op.transposeA, axes.fine, axes.inner, 1);
    p = build(of.P, op.transposeB, axes.inner, axes.columns, 2);
    Axis elsewhere = axes.fine;
    elsewhere.spread = axes.fine.spread == Spread::roundAbout ? Spread::uneven : Spread::roundAbout;
    const bool moved = left == Left::transposedElsewhere || left == Left::explicitElsewhere;
    r = left == Left::implicitP ? p
                                : build(of.R, transposeR(), axes.coarse, moved ? elsewhere : axes.fine, 3);
    maps = {transposeR() ? r->getDomainMap() : r->getRowMap(),
            op.transposeB ? p->getRangeMap() : p->getDomainMap(),
            transposeR() ? r->getDomainMap() : r->getRangeMap()};
  }

  bool transposeR() const { return left != Left::explicitR && left != Left::explicitElsewhere; }

  /// R * (A * P), serially; zeros stored in R and A do not count. Collective.
  Expected expected() const {
    auto R = gathered(*r);
    if (transposeR()) R = Reference::transposed(R);
    const auto AP = expectedProduct(*a, *p, op);
    return {Reference::product(R, AP.product, true),
            Reference::product(Reference::absolute(R), AP.bound, true)};
  }
  Teuchos::RCP<Matrix> newC() const { return Teuchos::rcp(new Matrix(maps.row, 0)); }

  /// New values for all three; stored zeros stay.
  void revalue(unsigned seed) {
    revalueKeepingZeros(*a, seed);
    revalueKeepingZeros(*p, seed + 1);
    if (r != p) revalueKeepingZeros(*r, seed + 2);
  }

  void multiply(Matrix& c, const Params& params, bool fill = true) const {
    TripleMatrixMultiply::MultiplyRAP(*r, transposeR(), *a, op.transposeA, *p, op.transposeB, c, fill, "test",
                                      params);
  }

  /// With a report, which must not say that Tpetra did it.
  ProductReport reported(Matrix& c, const Params& params) const {
    const auto report = Teuchos::rcp(new ProductReport);
    params->set("trident: report", report);
    multiply(c, params);
    EXPECT_FALSE(report->handedBack) << report->handBackReason;
    return *report;
  }

  std::string name() const { return std::string(Test::name(left)) + ", " + Test::name(op) + " for A P, "; }

  Left left;
  Op op;
  Teuchos::RCP<Matrix> r, a, p;
  ProductMaps maps;
};

using Topologies = std::vector<std::pair<std::string, std::string>>;

inline std::string where(const std::pair<std::string, std::string>& topology) {
  return "nodes " + topology.first + ", grid \"" + topology.second + '"';
}

/// Those on one column of nodes, where a product of three is one product, and can be kept.
inline Topologies oneColumn() {
  return {{"1", "8x1"}, {"1", ""}, {"2", "4x1"}, {"2", ""}, {"3,5", ""}, {"8", ""}, {"4", "2x1"}};
}
inline Topologies severalColumns() { return {{"2", "2x2"}, {"2", "1x4"}, {"3,5", "1x2"}}; }
inline Topologies allTopologies() {
  Topologies all = oneColumn();
  for (const auto& topology : severalColumns()) all.push_back(topology);
  return all;
}

/// What all ranks together received over Gi, requests and names too. Collective.
inline long long giBytes(const Comm& comm, const ProductReport& report) {
  long long bytes = report.ledger.bytesReceived(Link::Gi);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_LONG_LONG, MPI_SUM, mpiComm(comm));
  return bytes;
}

/// C with one entry less than `pattern`, on one rank; `text` names it.
inline Teuchos::RCP<Matrix> lackingOneEntry(ReferenceMatrix pattern, const ProductMaps& maps,
                                            std::string& text) {
  for (auto& [i, row] : pattern.row) {
    if (row.size() < 2) continue;
    const auto column = std::next(row.begin())->first;
    text = '(' + std::to_string(i) + ',' + std::to_string(column) + ')';
    row.erase(column);
    break;
  }
  return matrixOf(pattern, maps);
}

/// The pattern and some entries more.
inline ReferenceMatrix enlarged(ReferenceMatrix pattern, const Axis& rows, const Axis& columns) {
  for (std::int64_t i = 0; i < rows.size; i += 3)
    for (std::int64_t j = 0; j < columns.size; j += 9) pattern.row[rows.gid(i)].emplace(columns.gid(j), 0);
  return pattern;
}

}  // namespace Trident::Test

#endif
