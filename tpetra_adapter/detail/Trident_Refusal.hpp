#ifndef TRIDENT_REFUSAL_HPP
#define TRIDENT_REFUSAL_HPP

#include <sstream>
#include <string>
#include <vector>

#include "detail/Trident_CompleteC.hpp"

namespace Trident {
namespace detail {

/// A matrix as it stands in a product, under the name that errors give it.
template <class Matrix>
struct Operand {
  const Matrix* X;
  bool transposed;
  const char* name;

  auto rows() const { return rowMap()->getGlobalNumElements(); }
  auto columns() const { return (transposed ? X->getRowMap() : X->getDomainMap())->getGlobalNumElements(); }
  auto rowMap() const { return transposed ? X->getDomainMap() : X->getRowMap(); }
};

/// Tpetra's own refusals of C = op(A) * op(B) or op(R) * op(A) * op(P), with Tpetra's text, and those of a C
/// whose rows lie elsewhere or of maps of another communicator. Empty if there is nothing to refuse. Local.
template <class Matrix>
std::string refusal(const char* prefix, const std::vector<Operand<Matrix>>& factors, const Matrix& C,
                    const char* nameOfC) {
  std::ostringstream text;
  text << prefix;
  const Operand<Matrix>& first = factors.front();
  std::vector<Operand<Matrix>> all = factors;
  all.push_back({&C, false, nameOfC});
  for (const auto& other : all) {
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(mpiCommOf(*first.X->getMap()), mpiCommOf(*other.X->getMap()), &relation);
    if (relation == MPI_IDENT || relation == MPI_CONGRUENT) continue;
    text << first.name << " is distributed over " << first.X->getComm()->getSize() << " ranks and "
         << other.name << " over " << other.X->getComm()->getSize()
         << " of another communicator; they must share one";
    return text.str();
  }
  for (const auto& factor : factors)
    if (!factor.X->isFillComplete()) return text.str() + "Matrix " + factor.name + " is not fill complete.";
  std::string product = std::string("op(") + first.name + ')';
  for (std::size_t f = 1; f < factors.size(); ++f) {
    const auto& a = factors[f - 1];
    const auto& b = factors[f];
    product += std::string(" * op(") + b.name + ')';
    if (a.columns() == b.rows()) continue;
    text << "ERROR, inner dimensions of op(" << a.name << ") and op(" << b.name
         << ") must match for matrix-matrix product. op(" << a.name << ") is " << a.rows() << 'x'
         << a.columns() << ", op(" << b.name << ") is " << b.rows() << 'x' << b.columns();
    return text.str();
  }
  const auto& rowMapOfC = *C.getRowMap();
  if (first.rows() != rowMapOfC.getGlobalNumElements()) {
    text << "ERROR, dimensions of result " << nameOfC << " must match dimensions of " << product << ". "
         << nameOfC << " has " << rowMapOfC.getGlobalNumElements() << " rows, should have " << first.rows();
    return text.str();
  }
  if (stateOf(C) == StateOfC::unfilledGraph)
    return text.str() + nameOfC +
           " has column indices but has never been fill complete; call its fillComplete() first";
  const auto& rowMap = *first.rowMap();
  if (!sameOnThisRank(rowMap, rowMapOfC)) {
    text << nameOfC << "'s row map is not op(" << first.name << ")'s: rank " << first.X->getComm()->getRank()
         << " has " << localSize(rowMapOfC) << " rows of " << nameOfC << " and " << localSize(rowMap)
         << " of op(" << first.name << "), out of " << first.rows()
         << ", or the same number in another order; make " << nameOfC << " with op(" << first.name
         << ")'s row map";
    return text.str();
  }
  return {};
}

}  // namespace detail
}  // namespace Trident

#endif
