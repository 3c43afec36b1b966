#ifndef TRIDENT_BENCH_CONTENDER_HPP
#define TRIDENT_BENCH_CONTENDER_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "Cases.hpp"

namespace Bench {

/// Enough of C to tell two results apart.
struct Outcome {
  std::int64_t entries = 0;
  double sumOfSquares = 0;
};

/// One way to compute a case's product. It holds A and B in its own form from construction on.
class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;

  virtual std::string name() const = 0;

  /// Computes C and keeps it. This is what is timed.
  virtual void multiply() = 0;

  /// Describes C and drops it.
  virtual Outcome finish() = 0;
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

namespace Names {
inline const std::string host = "host";
inline const std::string kokkosKernels = "kokkoskernels";
inline const std::string hypreParMatmul = "hypre_ParMatmul";
inline const std::string hypreMatMat = "hypre_ParCSRMatMat";
inline const std::string trident = "Trident::Multiply";
inline const std::string tpetra = "Tpetra::Multiply";
}  // namespace Names

/// Trident's local products on views, without Tpetra: host and KokkosKernels.
Contenders localProducts(const Case& problem);

/// hypre's two products; empty where the program was built without hypre. Between startHypre and stopHypre.
Contenders hypreProducts(const Case& problem);
void startHypre();
void stopHypre();

/// Trident::MatrixMatrix::Multiply and Tpetra::MatrixMatrix::Multiply, Tpetra in and Tpetra out.
Contenders tpetraProducts(const Case& problem);

}  // namespace Bench

#endif
