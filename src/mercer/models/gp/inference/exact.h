// Exact Gaussian process regression with Gaussian noise: one Cholesky factorisation of A = K + D, D the noise.
//
//   α = P y,   P = A⁻¹ − U S⁻¹ Uᵀ,  U = A⁻¹H,  S = HᵀA⁻¹H        H: parametric functions, integrated out (flat prior)
//   ln p(y) = −½ yᵀα − ½ ln|A| − ½ ln|S| − (n−p)/2 ln 2π           without H: P = A⁻¹, the last S term drops
//   ∂ ln p(y)/∂θ = ½ tr[(ααᵀ − P) ∂A/∂θ]                             Schölkopf & Smola (2002), 16.56 with its sign
//   leave-one-out: mean y_i − α_i/P_ii, variance 1/P_ii              corrected; Rasmussen & Williams (2006), 2.7, 5.4
//
// Columns of y are outputs that share K and D; their log densities are added. Targets here are standardised already.
// Weights count rows (models/gp/inference/gp_data.h): D_ii = s_i/w_i, and the evidence has the terms of the copies. Leaving one out
// leaves all copies of a row out; its predictive density is that of one observation, 1/P_ii − s_i/w_i + s_i its variance,
// and counts w_i times.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/gp/inference/gp_data.h"
#include "mercer/models/gp/inference/hyperparameters.h"
#include "mercer/models/gp/inference/posterior.h"

namespace mercer {

/// A = K + D + jitter, factored. The jitter is 0 unless A is singular to rounding: then the smallest of 1e-10, 1e-9, …,
/// 1e-4 times the mean diagonal of K that makes it positive definite. NumericalError where even that does not.
struct ExactFactor {
  Matrix<double> factor;  ///< lower triangle
  double jitter = 0;      ///< absolute
  double relative_jitter = 0;
};
ExactFactor factor_exact(const PreparedKernel& kernel, std::span<const double> noise_diagonal, const Run& run);

struct ExactSolution {
  ExactFactor factor;
  Matrix<double> alpha;         ///< n × outputs
  Matrix<double> gamma;         ///< p × outputs: coefficients of the basis
  Matrix<double> u;             ///< n × p
  Matrix<double> schur_factor;  ///< p × p: Cholesky factor of S
  double log_evidence = 0;
};
/// n²d + n³/3 operations, n² numbers.
ExactSolution solve_exact(const PreparedKernel& kernel, const GpData& data, double noise, const Run& run);

enum class GpObjective { evidence, leave_one_out };
constexpr auto words_of(GpObjective) {
  return std::array{Word{GpObjective::evidence, "evidence"}, Word{GpObjective::leave_one_out, "loo"}};
}

/// The objective at this kernel and noise, and its gradient: one entry per scale parameter of the kernel, then the
/// noise. n³ operations and n² numbers for the evidence; three times both for the leave-one-out density. -infinity
/// where the matrix is singular beyond all jitter.
EvidenceValue exact_objective(GpObjective objective, const Kernel& kernel, const GpData& data, double noise,
                              const Run& run);

struct LeaveOneOutPredictions {
  Matrix<double> means;           ///< n × outputs
  std::vector<double> variances;  ///< of y_i
  double log_density = 0;         ///< Σ w_i ln p(y_i | the others)
};
/// From a solution with this noise, whose factor is replaced by the inverse: 2n³/3 operations. NumericalError where a
/// row is not determined by the others.
LeaveOneOutPredictions leave_one_out(ExactSolution& solution, const GpData& data, double noise, const Run& run);

}  // namespace mercer
