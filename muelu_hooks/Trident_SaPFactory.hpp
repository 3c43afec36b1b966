#ifndef TRIDENT_SAP_FACTORY_HPP
#define TRIDENT_SAP_FACTORY_HPP

#include <MueLu_SaPFactory_decl.hpp>
#include <Teuchos_RCP.hpp>
#include <string>

#include "Trident_ProductLog.hpp"

namespace Trident {

/// MueLu::SaPFactory with Trident's Jacobi: the prolongator (I - omega D^-1 A) Ptent.
///
/// Takes the parameters and inputs of MueLu::SaPFactory and generates the same data ("P", "AP reuse data", or
/// "R" in restriction mode). Parameters of products go into its sublist "matrixmatrix: kernel params".
///
/// Matrices that are no Tpetra::CrsMatrix underneath are left to MueLu::SaPFactory.
///
/// Build is collective over the communicator of the fine level's A. Throws what MatrixMatrix::Jacobi and
/// MueLu::SaPFactory throw.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
class SaPFactory : public MueLu::SaPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node> {
 public:
  using Base = MueLu::SaPFactory<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using Matrix = Xpetra::Matrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using Vector = Xpetra::Vector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

  SaPFactory() = default;

  /// Every product is appended to `log` (shared with the caller) if that is not null.
  void setLog(const Teuchos::RCP<ProductLog>& log) { log_ = log; }

  /// A factory for what `stock` generates, with its parameters and inputs.
  SaPFactory(const Base& stock, const Teuchos::RCP<ProductLog>& log);

  void BuildP(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const override;
  std::string ShortClassName() const override { return "TridentSaPFactory"; }

 private:
  /// omega, and D^-1 as the parameters want it.
  struct Step {
    Scalar omega;
    Teuchos::RCP<Vector> inverseDiagonal;
  };

  Teuchos::RCP<Vector> inverseOfRowSums(const Matrix& A) const;
  Step stepOf(Matrix& A) const;
  void publish(MueLu::Level& coarseLevel, const Matrix& Ptent, Teuchos::RCP<Matrix> P) const;

  Teuchos::RCP<ProductLog> log_;
};

}  // namespace Trident

#endif
