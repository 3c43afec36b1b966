#ifndef TRIDENT_HOOK_PRODUCTS_HPP
#define TRIDENT_HOOK_PRODUCTS_HPP

#include <MueLu_Level.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Xpetra_CrsMatrixWrap.hpp>
#include <Xpetra_MatrixFactory.hpp>
#include <Xpetra_MatrixMatrix.hpp>
#include <Xpetra_TpetraCrsMatrix.hpp>
#include <Xpetra_TpetraVector.hpp>
#include <chrono>
#include <string>

#include "Trident_MatrixMatrix.hpp"
#include "Trident_ProductLog.hpp"
#include "Trident_TripleMatrixMultiply.hpp"

namespace Trident {
namespace MueLuHooks {

/// Whether A is a Tpetra::CrsMatrix under Xpetra's wrapping.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
bool isTpetraCrs(const Xpetra::Matrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>& A) {
  using Wrap = Xpetra::CrsMatrixWrap<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using Crs = Xpetra::TpetraCrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  const auto* wrap = dynamic_cast<const Wrap*>(&A);
  return wrap != nullptr && !Teuchos::rcp_dynamic_cast<const Crs>(wrap->getCrsMatrix()).is_null();
}

/// Trident's products of Xpetra matrices, which must be Tpetra's underneath, with one label and one list of
/// parameters. C is made where it is null, and gets the strided maps of its factors.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
class HookProducts {
 public:
  using Matrix = Xpetra::Matrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using Vector = Xpetra::Vector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using MatrixRCP = Teuchos::RCP<Matrix>;
  using ListRCP = Teuchos::RCP<Teuchos::ParameterList>;

  HookProducts(std::string label, ListRCP params, Teuchos::RCP<ProductLog> log)
      : label_(std::move(label)), params_(std::move(params)), log_(std::move(log)) {}

  MatrixRCP multiply(const Matrix& A, bool transposeA, const Matrix& B, const MatrixRCP& into) const {
    const MatrixRCP C = orNew(into, transposeA ? A.getDomainMap() : A.getRowMap());
    run(*C, [&](const ListRCP& params) {
      MatrixMatrix::Multiply(crs(A), transposeA, crs(B), false, nonconstCrs(*C), true, label_, params);
    });
    C->CreateView(strided, Teuchos::rcpFromRef(A), transposeA, Teuchos::rcpFromRef(B), false);
    return C;
  }

  MatrixRCP jacobi(Scalar omega, const Vector& Dinv, const Matrix& A, const Matrix& B,
                   const MatrixRCP& into) const {
    const MatrixRCP C = orNew(into, B.getRowMap());
    const auto& tpetraDinv = Xpetra::toTpetra(Dinv);
    run(*C, [&](const ListRCP& params) {
      MatrixMatrix::Jacobi(omega, *tpetraDinv, crs(A), crs(B), nonconstCrs(*C), true, label_, params);
    });
    C->CreateView(strided, Teuchos::rcpFromRef(A), false, Teuchos::rcpFromRef(B), false);
    return C;
  }

  MatrixRCP multiplyRAP(const Matrix& R, bool transposeR, const Matrix& A, const Matrix& P,
                        const MatrixRCP& into) const {
    const MatrixRCP C = orNew(into, transposeR ? R.getDomainMap() : R.getRowMap());
    run(*C, [&](const ListRCP& params) {
      TripleMatrixMultiply::MultiplyRAP(crs(R), transposeR, crs(A), false, crs(P), false, nonconstCrs(*C),
                                        true, label_, params);
    });
    C->CreateView(strided, Teuchos::rcpFromRef(R), transposeR, Teuchos::rcpFromRef(P), false);
    return C;
  }

 private:
  using Helpers = Xpetra::Helpers<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using Map = Xpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;
  static constexpr const char* strided = "stridedMaps";
  static constexpr const char* reportName = "trident: report";

  static const auto& crs(const Matrix& A) { return Helpers::Op2TpetraCrs(A); }
  static auto& nonconstCrs(Matrix& A) { return Helpers::Op2NonConstTpetraCrs(A); }

  static MatrixRCP orNew(const MatrixRCP& C, const Teuchos::RCP<const Map>& rows) {
    if (!C.is_null()) return C;
    return Xpetra::MatrixFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>::Build(rows, 0);
  }

  /// A copy of the list with a report of ours in it, which is `given` if the user has one already.
  ListRCP withReport(Teuchos::RCP<ProductReport>& given) const {
    using Report = Teuchos::RCP<ProductReport>;
    const char* const kernel = "matrixmatrix: kernel params";
    const ListRCP list = Teuchos::rcp(new Teuchos::ParameterList(*params_));
    const Teuchos::ParameterList& inner =
        list->isSublist(kernel) && !list->isParameter(reportName) ? list->sublist(kernel) : *list;
    if (inner.isType<Report>(reportName)) given = inner.get<Report>(reportName);
    if (given.is_null()) given = Teuchos::rcp(new ProductReport());
    list->set(reportName, given);
    return list;
  }

  template <class Product>
  void run(const Matrix& C, const Product& product) const {
    if (log_.is_null()) {
      product(params_);
      return;
    }
    ProductRecord record;
    record.label = label_;
    record.ranks = C.getRowMap()->getComm()->getSize();
    record.intoGraph = C.isFillComplete();
    Teuchos::RCP<ProductReport> report;
    const ListRCP params = log_->reports ? withReport(report) : params_;
    const auto start = std::chrono::steady_clock::now();
    product(params);
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!report.is_null()) record.report = *report;
    log_->products.push_back(std::move(record));
  }

  std::string label_;
  ListRCP params_;
  Teuchos::RCP<ProductLog> log_;
};

/// What factory kept on the level for a product of unchanged patterns under `name`: the parameters, with the
/// matrix of the earlier set-up under "graph". A new list with the factory's parameters for products if
/// nothing is kept.
template <class Factory>
Teuchos::RCP<Teuchos::ParameterList> keptFor(const Factory& factory, MueLu::Level& level, const char* name) {
  using ListRCP = Teuchos::RCP<Teuchos::ParameterList>;
  const char* const kernel = "matrixmatrix: kernel params";
  if (level.IsAvailable(name, &factory)) {
    factory.GetOStream(static_cast<MueLu::MsgType>(MueLu::Runtime0 | MueLu::Test))
        << "Trident: pattern of " << name << " is used again" << std::endl;
    return level.Get<ListRCP>(name, &factory);
  }
  const ListRCP list = Teuchos::rcp(new Teuchos::ParameterList());
  const Teuchos::ParameterList& given = factory.GetParameterList();
  if (given.isSublist(kernel)) list->sublist(kernel) = given.sublist(kernel);
  return list;
}

/// The matrix of the earlier set-up in what keptFor() returned, or null.
template <class Matrix>
Teuchos::RCP<Matrix> graphIn(const Teuchos::ParameterList& kept) {
  return kept.isParameter("graph") ? kept.get<Teuchos::RCP<Matrix>>("graph") : Teuchos::null;
}

}  // namespace MueLuHooks
}  // namespace Trident

#endif
