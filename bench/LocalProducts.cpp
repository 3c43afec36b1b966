#include <Tpetra_Map.hpp>
#include <algorithm>
#include <functional>
#include <utility>

#include "Contender.hpp"
#include "local/Trident_HostProduct.hpp"
#include "local/Trident_KokkosKernelsProduct.hpp"

namespace Bench {

namespace {

// The types that Trident's adapter gives the local product for a Tpetra::CrsMatrix<double>.
using Map = Tpetra::Map<>;
using Types = Trident::TileTypes<double, Map::local_ordinal_type, Map::node_type::device_type>;

Trident::CsrRows<Types> toViews(const Matrix& matrix) {
  const auto& rows = matrix.rows;
  Trident::CsrRows<Types> views;
  views.rowPtr = Trident::allocate<Types::Offsets>("rowPtr", matrix.rowCount() + 1);
  views.columns = Trident::allocate<Types::Ordinals>("columns", matrix.entries());
  views.values = Trident::allocate<Types::Values>("values", matrix.entries());
  std::copy(rows.rowPtr.begin(), rows.rowPtr.end(), views.rowPtr.data());
  std::copy(rows.col.begin(), rows.col.end(), views.columns.data());
  std::copy(rows.value.begin(), rows.value.end(), views.values.data());
  return views;
}

/// One round that is the whole product, as on one rank.
Trident::LocalOperands<Types> makeOperands(const Case& problem) {
  const Trident::CsrRows<Types> A = toViews(problem.A);
  const Trident::CsrRows<Types> B = problem.square ? A : toViews(problem.B);
  Trident::LocalOperands<Types> operands;
  operands.A.push_back({A.rowPtr, A.columns, A.values, 0});
  operands.B.rows = problem.right().rowCount();
  operands.B.endsBatch = true;
  operands.B.rowPtr = B.rowPtr;
  operands.B.columns = B.columns;
  operands.B.values = B.values;
  operands.rows = problem.A.rowCount();
  operands.rowsOfB = problem.right().rowCount();
  operands.width = problem.right().columnCount;
  return operands;
}

class LocalContender : public Contender {
 public:
  LocalContender(std::unique_ptr<Trident::LocalProduct<Types>> product,
                 Trident::LocalOperands<Types> operands)
      : product_(std::move(product)), operands_(std::move(operands)) {}

  std::string name() const override { return product_->name(); }

  void multiply() override {
    std::int64_t multiplications = 0;
    C_ = product_->multiply(
        operands_, [] {}, multiplications);
  }

  Outcome finish() override {
    Outcome outcome;
    outcome.entries = static_cast<std::int64_t>(C_.columns.extent(0));
    for (std::int64_t e = 0; e < outcome.entries; ++e) outcome.sumOfSquares += C_.values(e) * C_.values(e);
    C_ = {};
    return outcome;
  }

 private:
  std::unique_ptr<Trident::LocalProduct<Types>> product_;
  Trident::LocalOperands<Types> operands_;
  Trident::CsrRows<Types> C_;
};

}  // namespace

Contenders localProducts(const Case& problem) {
  const Trident::LocalOperands<Types> operands = makeOperands(problem);
  Contenders contenders;
  contenders.push_back(
      std::make_unique<LocalContender>(std::make_unique<Trident::HostProduct<Types>>(), operands));
  contenders.push_back(
      std::make_unique<LocalContender>(std::make_unique<Trident::KokkosKernelsProduct<Types>>(), operands));
  return contenders;
}

}  // namespace Bench
