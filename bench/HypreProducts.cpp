#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <_hypre_parcsr_mv.h>
#include <mpi.h>

#include <stdexcept>

#include "Contender.hpp"

namespace Bench {

namespace {

/// A matrix in hypre's form. hypre puts the diagonal entry first in each row of a square matrix.
class HypreMatrix {
 public:
  explicit HypreMatrix(const Matrix& matrix) {
    const auto rows = static_cast<HYPRE_BigInt>(matrix.rowCount());
    const auto columns = static_cast<HYPRE_BigInt>(matrix.columnCount);
    HYPRE_IJMatrixCreate(MPI_COMM_SELF, 0, rows - 1, 0, columns - 1, &matrix_);
    HYPRE_IJMatrixSetObjectType(matrix_, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(matrix_);
    const auto& block = matrix.rows;
    const std::vector<HYPRE_BigInt> column(block.col.begin(), block.col.end());
    for (HYPRE_BigInt row = 0; row < rows; ++row) {
      const std::size_t begin = block.rowPtr[static_cast<std::size_t>(row)];
      auto length = static_cast<HYPRE_Int>(block.rowPtr[static_cast<std::size_t>(row) + 1] - begin);
      HYPRE_IJMatrixSetValues(matrix_, 1, &length, &row, column.data() + begin, block.value.data() + begin);
    }
    HYPRE_IJMatrixAssemble(matrix_);
    void* object = nullptr;
    HYPRE_IJMatrixGetObject(matrix_, &object);
    parCsr_ = static_cast<hypre_ParCSRMatrix*>(object);
    if (HYPRE_GetError() != 0) throw std::runtime_error("hypre did not take a matrix");
  }
  HypreMatrix(const HypreMatrix&) = delete;
  HypreMatrix& operator=(const HypreMatrix&) = delete;
  ~HypreMatrix() { HYPRE_IJMatrixDestroy(matrix_); }

  hypre_ParCSRMatrix* parCsr() const { return parCsr_; }

 private:
  HYPRE_IJMatrix matrix_ = nullptr;
  hypre_ParCSRMatrix* parCsr_ = nullptr;
};

using Product = hypre_ParCSRMatrix* (*)(hypre_ParCSRMatrix*, hypre_ParCSRMatrix*);

class HypreContender : public Contender {
 public:
  HypreContender(std::string name, Product product, std::shared_ptr<const HypreMatrix> A,
                 std::shared_ptr<const HypreMatrix> B)
      : name_(std::move(name)), product_(product), A_(std::move(A)), B_(std::move(B)) {}

  std::string name() const override { return name_; }

  void multiply() override { C_ = product_(A_->parCsr(), B_->parCsr()); }

  Outcome finish() override {
    // On one rank all of C is in its diagonal block.
    const hypre_CSRMatrix* block = hypre_ParCSRMatrixDiag(C_);
    Outcome outcome;
    outcome.entries = hypre_CSRMatrixI(block)[hypre_CSRMatrixNumRows(block)];
    const HYPRE_Complex* values = hypre_CSRMatrixData(block);
    for (std::int64_t e = 0; e < outcome.entries; ++e) outcome.sumOfSquares += values[e] * values[e];
    hypre_ParCSRMatrixDestroy(C_);
    C_ = nullptr;
    return outcome;
  }

 private:
  std::string name_;
  Product product_;
  std::shared_ptr<const HypreMatrix> A_, B_;
  hypre_ParCSRMatrix* C_ = nullptr;
};

}  // namespace

void startHypre() { HYPRE_Init(); }
void stopHypre() { HYPRE_Finalize(); }

Contenders hypreProducts(const Case& problem) {
  const auto A = std::make_shared<const HypreMatrix>(problem.A);
  const auto B = problem.square ? A : std::make_shared<const HypreMatrix>(problem.B);
  Contenders contenders;
  contenders.push_back(std::make_unique<HypreContender>(Names::hypreParMatmul, hypre_ParMatmul, A, B));
  contenders.push_back(std::make_unique<HypreContender>(Names::hypreMatMat, hypre_ParCSRMatMat, A, B));
  return contenders;
}

}  // namespace Bench
