// Ridge on the coefficients of kernel features ("weight decay"),
//
//   min_{b,A}  Σ_i w_i loss(y_i, b + Φ_i A) + (λ/2) Σ_j ‖a_j‖²
//
// in the form that is cheaper: the primal by Newton's method in all coefficients (solvers/glm/glm_newton.h), or, where there
// are more of them than rows, the dual with K = ΦΦᵀ (solvers/glm/dual_newton.h), A = Φᵀα. With prototypes at the data K = κ²
// (the square as matrices): the machine acts as one of the kernel's space whose spectrum is the square of the kernel's,
// so that a Gaussian of width σ acts like one of √2σ. Reference: Schölkopf & Smola (2002), (4.85)-(4.91), (2.56).
#pragma once

#include "mercer/base/run.h"
#include "mercer/solvers/glm/dual_newton.h"
#include "mercer/solvers/glm/glm_newton.h"

namespace mercer {

struct CoefficientRidgeSolution {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;
  GlmPoint point;
  double loss = 0;
  double objective = 0;
  double half_log_determinant = 0;  ///< ½ ln det(1 + ΦΦᵀW/λ)
  /// Laplace's evidence of coefficients a ~ N(0, 1/λ), offsets known (Poisson: up to a constant of the targets). Gaussian
  /// targets: exact, with the noise variance that fits best, in the units of which 1/λ counts.
  double log_evidence = 0;
};

/// One problem, any number of λ; each starts from the solution before. Views must outlive it.
class CoefficientRidge {
 public:
  CoefficientRidge(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept, const Run& run);

  /// Whether K is formed: n² numbers and n³ per step; else about (MC)² and n(MC)².
  bool is_dual() const { return dual_; }
  /// What the form takes, in bytes.
  static double memory_bytes(Index rows, Index features, const GlmTargets& targets);
  /// The mean of Φ_iΦ_iᵀ: the scale of λ.
  double scale() const { return scale_; }
  /// λ > 0. Errors as in the solvers.
  CoefficientRidgeSolution solve(double lambda);

 private:
  CoefficientRidgeSolution solve_dual(double lambda);
  CoefficientRidgeSolution solve_primal(double lambda);

  ConstMatrixView<double> features_;
  GlmTargets targets_;
  NetIntercept intercept_;
  Run run_;
  bool dual_;
  double scale_ = 0;
  Matrix<double> kernel_;
  DualNewtonSolution last_dual_;
  GlmPoint last_primal_;
};

}  // namespace mercer
