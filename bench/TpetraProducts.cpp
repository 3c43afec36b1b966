#include <Teuchos_ArrayView.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <utility>

#include "Contender.hpp"
#include "Trident_MatrixMatrix.hpp"

namespace Bench {

namespace {

using CrsMatrix = Tpetra::CrsMatrix<double>;
using Map = Tpetra::Map<>;
using GlobalOrdinal = Map::global_ordinal_type;

Teuchos::RCP<const Map> makeMap(std::int64_t size) {
  return Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(size), 0, Tpetra::getDefaultComm()));
}

Teuchos::RCP<const CrsMatrix> toTpetra(const Matrix& matrix, const Teuchos::RCP<const Map>& rowMap,
                                       const Teuchos::RCP<const Map>& domainMap) {
  const auto& rows = matrix.rows;
  const std::vector<GlobalOrdinal> columns(rows.col.begin(), rows.col.end());
  std::size_t longest = 0;
  for (std::size_t i = 0; i + 1 < rows.rowPtr.size(); ++i)
    longest = std::max(longest, rows.rowPtr[i + 1] - rows.rowPtr[i]);
  const auto result = Teuchos::rcp(new CrsMatrix(rowMap, longest));
  for (std::size_t i = 0; i + 1 < rows.rowPtr.size(); ++i) {
    const std::size_t begin = rows.rowPtr[i];
    const auto length = static_cast<Teuchos::Ordinal>(rows.rowPtr[i + 1] - begin);
    if (length == 0) continue;
    result->insertGlobalValues(static_cast<GlobalOrdinal>(i),
                               Teuchos::ArrayView<const GlobalOrdinal>(&columns[begin], length),
                               Teuchos::ArrayView<const double>(&rows.value[begin], length));
  }
  result->fillComplete(domainMap, rowMap);
  return result;
}

using Product = void (*)(const CrsMatrix& A, const CrsMatrix& B, CrsMatrix& C);

void multiplyByTrident(const CrsMatrix& A, const CrsMatrix& B, CrsMatrix& C) {
  Trident::MatrixMatrix::Multiply(A, false, B, false, C);
}

void multiplyByTpetra(const CrsMatrix& A, const CrsMatrix& B, CrsMatrix& C) {
  Tpetra::MatrixMatrix::Multiply(A, false, B, false, C);
}

class TpetraContender : public Contender {
 public:
  TpetraContender(std::string name, Product product, Teuchos::RCP<const CrsMatrix> A,
                  Teuchos::RCP<const CrsMatrix> B)
      : name_(std::move(name)), product_(product), A_(std::move(A)), B_(std::move(B)) {}

  std::string name() const override { return name_; }

  void multiply() override {
    C_ = Teuchos::rcp(new CrsMatrix(A_->getRowMap(), 0));
    product_(*A_, *B_, *C_);
  }

  Outcome finish() override {
    const double norm = C_->getFrobeniusNorm();
    const Outcome outcome{static_cast<std::int64_t>(C_->getGlobalNumEntries()), norm * norm};
    C_ = Teuchos::null;
    return outcome;
  }

 private:
  std::string name_;
  Product product_;
  Teuchos::RCP<const CrsMatrix> A_, B_;
  Teuchos::RCP<CrsMatrix> C_;
};

}  // namespace

Contenders tpetraProducts(const Case& problem) {
  const auto rowMap = makeMap(problem.A.rowCount());
  const auto inner = problem.square ? rowMap : makeMap(problem.A.columnCount);
  const auto A = toTpetra(problem.A, rowMap, inner);
  const auto B = problem.square ? A : toTpetra(problem.B, inner, makeMap(problem.B.columnCount));
  Contenders contenders;
  contenders.push_back(std::make_unique<TpetraContender>(Names::trident, multiplyByTrident, A, B));
  contenders.push_back(std::make_unique<TpetraContender>(Names::tpetra, multiplyByTpetra, A, B));
  return contenders;
}

}  // namespace Bench
