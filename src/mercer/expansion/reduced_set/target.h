// Reduced sets: fewer terms for the same function. A target Ψ_o = Σ_i a_io Φ(x_i), one per output o, is represented by
// Ψ'_o = Σ_j β_jo Φ(z_j) on fewer points z, shared by all outputs; what is lost is measured in the kernel's space,
//
//   ‖Ψ_o − Ψ'_o‖² = a_oᵀK a_o + β_oᵀK^z β_o − 2 a_oᵀK^xz β_o,
//
// which bounds the error of every value: |f(x) − f'(x)| ≤ ‖Ψ − Ψ'‖ √k(x, x). For given points the best β solves
// K^z β = K^zx a. Reference: Schölkopf & Smola (2002), 18.3; Burges (1996).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// The functions to be represented. Kernel values in double.
class ReductionTarget {
 public:
  /// coefficients: centres × outputs; centres whose coefficients are all 0 are left out, and of equal centres all but the
  /// first, which has the sum of their coefficients. InvalidArgument where the kernel
  /// is not positive definite (there is no norm to measure by) or depends on its centres as a set, for sizes that do
  /// not fit, for coefficients that are not finite. Evaluates the kernel matrix of the centres once: m² d operations.
  ReductionTarget(const Kernel& kernel, const Samples& centers, ConstMatrixView<double> coefficients, const Run& run);

  const Kernel& kernel() const { return prepared_->kernel(); }
  const Samples& centers() const { return centers_; }
  ConstMatrixView<double> coefficients() const { return coefficients_.view(); }
  Index size() const { return coefficients_.rows(); }
  Index outputs() const { return coefficients_.columns(); }
  const std::shared_ptr<const PreparedKernel>& prepared() const { return prepared_; }
  /// Which of the centres that were given are still here.
  const std::vector<Index>& kept() const { return kept_; }

  /// K a: the functions at their own centres.
  ConstMatrixView<double> values() const { return values_.view(); }
  /// ‖Ψ_o‖² per output.
  const std::vector<double>& squared_norms() const { return squared_norms_; }
  double total_squared_norm() const;
  /// The kernel matrix of the centres, m × m. m² numbers: for methods that choose among the centres.
  Matrix<double> gram(const Run& run) const;

 private:
  std::vector<Index> kept_;
  Samples centers_;
  Matrix<double> coefficients_;
  std::shared_ptr<const PreparedKernel> prepared_;
  Matrix<double> values_;
  std::vector<double> squared_norms_;
};

struct ReducedSet {
  Samples centers;
  Matrix<double> coefficients;         ///< centres × outputs
  std::vector<double> squared_errors;  ///< ‖Ψ_o − Ψ'_o‖² against the target itself, clamped at 0

  Index size() const { return coefficients.rows(); }
  double total_squared_error() const;
};

/// ‖Ψ_o − Σ_j β_jo Φ(z_j)‖² per output, clamped at 0. n(m + n)d operations. Rounding: about 1e-16 ‖Ψ‖².
std::vector<double> reduction_errors(const ReductionTarget& target, const Samples& centers,
                                     ConstMatrixView<double> coefficients, const Run& run);

/// The best coefficients for these points. Where K^z is numerically singular a ridge of the size of rounding stands in
/// for the pseudo-inverse. n(m + n)d + n³/3 operations.
ReducedSet fit_coefficients(const ReductionTarget& target, const Samples& centers, const Run& run);
/// The same for some of the target's own centres.
ReducedSet fit_coefficients(const ReductionTarget& target, std::span<const Index> chosen, const Run& run);

/// Coefficients for these points that make the values at the target's own centres right instead, min ‖K a − K^xz β‖²
/// (problem 18.7): better where only those places matter, with no bound elsewhere.
ReducedSet fit_values(const ReductionTarget& target, const Samples& centers, const Run& run);

/// Solves A x = b in place for a positive semidefinite A that may be singular to rounding: Cholesky with the smallest
/// ridge that lets it pass, relative to the diagonal. Returns that ridge. A is overwritten.
double solve_semidefinite(MatrixView<double> a, MatrixView<double> b, const Run& run);

}  // namespace mercer
