#ifndef TRIDENT_TEST_CALLS_HPP
#define TRIDENT_TEST_CALLS_HPP

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "TestTriple.hpp"

// Calls of all our products, for what must hold of each of them.

namespace Trident::Test {

/// A call of one of our products on matrices of this kind.
struct Call {
  std::string name;
  ProductMaps maps;
  std::function<void(Matrix&, const Params&)> multiply;
  std::function<Expected()> expected;
  std::function<void(unsigned)> revalue;
  bool stockCan = true;  ///< Tpetra's own products want maps that agree
};

/// B - omega D^-1 A B for D = 1.
inline Expected expectedStep(double omega, const Matrix& a, const Matrix& b) {
  Expected whole = expectedProduct(a, b, {});
  for (auto& [i, row] : whole.product.row)
    for (auto& [j, value] : row) value *= -omega, whole.bound.row[i][j] *= omega;
  for (const auto& [i, row] : gathered(b).row) {
    for (const auto& [j, value] : row) {
      whole.product.row[i][j] += value;
      whole.bound.row[i][j] += std::abs(value);
    }
  }
  return whole;
}

inline Call callOfStep(Teuchos::RCP<Matrix> a, Teuchos::RCP<Matrix> b) {
  const auto dinv = Teuchos::rcp(new Vector(a->getRowMap()));
  dinv->putScalar(1);
  return {"Jacobi", productMaps(*a, *b, {}),
          [=](Matrix& c, const Params& params) {
            MatrixMatrix::Jacobi(0.6, *dinv, *a, *b, c, true, "test", params);
          },
          [=] { return expectedStep(0.6, *a, *b); },
          [=](unsigned seed) {
            revalueKeepingZeros(*a, seed);
            revalueKeepingZeros(*b, seed + 1);
          }};
}

inline Call callOf(Teuchos::RCP<Matrix> a, Teuchos::RCP<Matrix> b, const Op& op) {
  return {name(op), productMaps(*a, *b, op),
          [=](Matrix& c, const Params& params) { multiply(*a, *b, op, c, params); },
          [=] { return expectedProduct(*a, *b, op); },
          [=](unsigned seed) {
            revalueKeepingZeros(*a, seed);
            revalueKeepingZeros(*b, seed + 1);
          }};
}

inline Call callOf(const std::shared_ptr<Triple>& triple) {
  return {"MultiplyRAP with " + triple->name(),
          triple->maps,
          [=](Matrix& c, const Params& params) { triple->multiply(c, params); },
          [=] { return triple->expected(); },
          [=](unsigned seed) { triple->revalue(seed); },
          triple->left != Left::transposedElsewhere && triple->left != Left::explicitElsewhere};
}

inline Params paramsOf(const std::pair<std::string, std::string>& topology) {
  return topologyParams(topology.first, topology.second);
}

class EveryCall : public EightRanks {
 protected:
  /// All three functions; `prepared` is applied to every factor.
  static std::vector<Call> calls(const Comm& comm,
                                 const std::function<Teuchos::RCP<Matrix>(Teuchos::RCP<Matrix>)>& prepared) {
    const Axis rows{60, Spread::shuffled, 5, 3}, inner{50, Spread::uneven, 5, 3},
        columns{40, Spread::cyclic, 5, 3};
    const auto build = [&](const Axis& i, const Axis& j, unsigned seed) {
      return prepared(buildMatrix(comm, Shape::random, i, j, seed));
    };
    std::vector<Call> all;
    all.push_back(callOf(build(rows, inner, 1), build(inner, columns, 2), {false, false}));
    all.push_back(callOf(build(inner, rows, 1), build(inner, columns, 2), {true, false}));
    all.push_back(callOf(build(inner, rows, 1), build(columns, inner, 2), {true, true}));
    Axis elsewhere = inner;  // A's rows and B's lie differently: A must not stay where it is
    elsewhere.spread = Spread::roundAbout;
    all.push_back(callOf(build(elsewhere, rows, 1), build(inner, columns, 2), {true, false}));
    all.back().name += " with rows of A elsewhere than B's";
    all.back().stockCan = false;
    all.push_back(callOfStep(build(rows, rows, 1), build(rows, columns, 2)));
    for (const auto left : allLefts) {
      const auto triple = std::make_shared<Triple>(comm, TripleCase{left});
      triple->a = prepared(triple->a);
      const bool same = triple->r == triple->p;
      triple->p = prepared(triple->p);
      triple->r = same ? triple->p : prepared(triple->r);
      all.push_back(callOf(triple));
    }
    return all;
  }
  std::vector<Call> calls() const {
    return calls(comm, [](Teuchos::RCP<Matrix> a) { return a; });
  }

  void expectRight(const Call& call, const Params& params, const std::string& text) const {
    expectRight(call, call.expected(), params, text);
  }
  void expectRight(const Call& call, const Expected& expected, const Params& params,
                   const std::string& text) const {
    const auto c = Teuchos::rcp(new Matrix(call.maps.row, 0));
    call.multiply(*c, params);
    EXPECT_EQ(differenceToReference(*c, expected), "") << call.name << ", " << text;
    EXPECT_EQ(brokenPromises(*c, call.maps), "") << call.name << ", " << text;
  }
};

inline const Topologies fewTopologies = {{"2", ""}, {"3,5", "2x1"}, {"2", "2x2"}, {"2", "1x4"}};

}  // namespace Trident::Test

#endif
