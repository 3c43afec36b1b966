#ifndef TRIDENT_REFERENCE_HPP
#define TRIDENT_REFERENCE_HPP

#include <cstdint>
#include <map>

namespace Trident::Reference {

/// A whole sparse matrix as a map of maps: the plainest form there is. Rows and columns carry any names;
/// a row without entries may be missing.
template <class Scalar>
struct Matrix {
  std::map<std::int64_t, std::map<std::int64_t, Scalar>> row;

  std::int64_t entries() const {
    std::int64_t sum = 0;
    for (const auto& [i, columns] : row) sum += static_cast<std::int64_t>(columns.size());
    return sum;
  }
};

template <class Scalar>
Matrix<Scalar> transposed(const Matrix<Scalar>& a) {
  Matrix<Scalar> t;
  for (const auto& [i, columns] : a.row)
    for (const auto& [j, value] : columns) t.row[j][i] = value;
  return t;
}

/// The absolute values of `a`; a product of two such bounds the rounding error of the product proper.
template <class Scalar>
Matrix<Scalar> absolute(Matrix<Scalar> a) {
  for (auto& [i, columns] : a.row)
    for (auto& [j, value] : columns) value = value < Scalar(0) ? -value : value;
  return a;
}

/// C = A * B by the definition. An entry of C exists where some a_ik and b_kj are stored; with
/// `skipZerosOfA` (as Tpetra's host kernels do) an a_ik that is stored as zero does not count. A stored zero
/// of B always counts.
template <class Scalar>
Matrix<Scalar> product(const Matrix<Scalar>& a, const Matrix<Scalar>& b, bool skipZerosOfA) {
  Matrix<Scalar> c;
  for (const auto& [i, columns] : a.row) {
    for (const auto& [k, aik] : columns) {
      if (skipZerosOfA && aik == Scalar(0)) continue;
      const auto rowOfB = b.row.find(k);
      if (rowOfB == b.row.end()) continue;
      for (const auto& [j, bkj] : rowOfB->second) c.row[i][j] += aik * bkj;
    }
  }
  return c;
}

}  // namespace Trident::Reference

#endif
