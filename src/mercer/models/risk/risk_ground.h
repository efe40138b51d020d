// RiskGround: what a risk machine stands on, the same for all of its outputs or classes: the kernel on the rows that count, and
// the functions beside it. Problems (solvers/risk) are solved on it, and their solutions become an expansion.
//
// The kernel is the whole matrix, projected beside the functions where it is only conditionally positive, or of a given rank k:
// with pivots P by pivoted Cholesky K̃ = RRᵀ = K_P K_PP⁻¹ K_Pᵀ (gram/low_rank.h). The function Σ α_i k̃(x_i, ·) is one of the pivots
// alone, Σ_P c_p k(x_p, ·) with R_Pᵀ c = Rᵀα, and stands so in the model.
//
// With a price on coefficients (solvers/risk/risk_sparse.h) the matrix is that of any kernel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/expansion/expansion.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/centered_functions.h"
#include "mercer/models/fit_report.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/risk/risk_options.h"
#include "mercer/solvers/risk/risk_sparse.h"

namespace mercer {

class RiskGround {
 public:
  /// 8 · 4n² bytes, with a rank k 8 · 5nk. InvalidArgument for kernels that are not positive definite beside the functions, or
  /// by themselves where there is a rank. The options and the run must outlive it.
  RiskGround(const char* model, const Kernel& kernel, Samples samples, const RiskMachineOptions& options,
             const Run& run);

  /// The problem in units in which kernel values are about 1: K = uK', α = α'/u, and u times the prices give u times the
  /// objective. u is a power of two, so that nothing is rounded.
  /// `unit`: what targets were divided by (of prices on coefficients of functions).
  SparseRiskSolution solve(const Loss& loss, std::span<const double> targets, std::span<const double> prices,
                           double unit) const;

  /// Of solutions as columns; an output o was shifted by offsets[o] and divided by units[o].
  Expansion expansion(const std::vector<SparseRiskSolution>& solutions, std::span<const double> offsets,
                      std::span<const double> units) const;

  /// A sentence where functions of the parametric part depend on others, and what a rank left out.
  void add_to_report(FitReport& report) const;

 private:
  SparseRiskSolution solve_scaled(const RiskProblem& problem, double unit) const;
  void take_whole_matrix();
  void take_factor(const char* model);
  bool is_factored() const { return factor_.rows() > 0; }
  /// Coefficients of the pivots: R_P⁻ᵀ Rᵀ α.
  Matrix<double> of_pivots(ConstMatrixView<double> alpha) const;
  Matrix<double> with_priced(Matrix<double> free, const std::vector<SparseRiskSolution>& solutions,
                             std::span<const double> units) const;

  Kernel kernel_;
  Samples samples_;
  const RiskMachineOptions& options_;
  const Run& run_;
  ParametricBasis basis_;
  Matrix<double> k_;
  Matrix<double> factor_;  // R, in place of K
  std::vector<Index> pivots_;
  double left_out_ = 0;  // share of the trace
  double kernel_unit_ = 1;
  CenteredFunctions priced_;           // of parametric_price
  Matrix<double> kernel_times_basis_;  // of the kernel before its projection; empty: it was positive
};

}  // namespace mercer
