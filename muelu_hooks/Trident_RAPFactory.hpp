#ifndef TRIDENT_RAP_FACTORY_HPP
#define TRIDENT_RAP_FACTORY_HPP

#include <MueLu_RAPFactory_decl.hpp>
#include <Teuchos_RCP.hpp>
#include <string>

#include "Trident_ProductLog.hpp"

namespace Trident {

/// MueLu::RAPFactory with Trident's products: the coarse matrix R*A*P, or P^T*A*P with "transpose: use
/// implicit".
///
/// Takes the parameters, inputs and transfer factories of MueLu::RAPFactory, generates the same data under
/// the same names ("A", "AP reuse data", "RAP reuse data"), and is one wherever a MueLu::RAPFactory is asked
/// for. Parameters of products ("trident: ...") go into its sublist "matrixmatrix: kernel params".
///
/// "rap: triple product" true: one MultiplyRAP, for any R, also into a coarse matrix that is kept for reuse;
/// false: A*P, then R*(AP). Not set: one MultiplyRAP unless A*P is kept for reuse on that level, as it is
/// with "reuse: type" tP and RP.
///
/// Matrices that are no Tpetra::CrsMatrix underneath (Epetra, BlockCrsMatrix) are left to MueLu::RAPFactory.
///
/// Build is collective over the communicator of the fine level's A. Throws what MatrixMatrix::Multiply and
/// MueLu::RAPFactory throw.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
class RAPFactory : public MueLu::RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node> {
 public:
  using Base = MueLu::RAPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using Matrix = Xpetra::Matrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

  RAPFactory() = default;

  /// Every product is appended to `log` (shared with the caller) if that is not null.
  void setLog(const Teuchos::RCP<ProductLog>& log) { log_ = log; }

  /// A factory for what `stock` generates: same parameters, inputs and transfer factories, which are shared.
  RAPFactory(const Base& stock, const Teuchos::RCP<ProductLog>& log);

  Teuchos::RCP<const Teuchos::ParameterList> GetValidParameterList() const override;
  void Build(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const override;
  std::string ShortClassName() const override { return "TridentRAPFactory"; }

 private:
  bool serves(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const;
  bool inOneProduct(const MueLu::Level& coarseLevel) const;
  Teuchos::RCP<Matrix> multiplyRAP(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const;
  Teuchos::RCP<Matrix> multiplyTwice(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const;
  void repair(Teuchos::RCP<Matrix>& Ac) const;
  void project(MueLu::Level& coarseLevel) const;

  Teuchos::RCP<ProductLog> log_;
};

}  // namespace Trident

#endif
