// Kernel generalized linear models by Newton's method in the dual: with f = Kα + b and the norm of the kernel's space,
//
//   min_{α,b}  Σ_i w_i loss(y_i, f_i) + (λ/2) Σ_c α_cᵀKα_c            (families and losses: glm_family.h)
//
// Kernel logistic regression, its multinomial and Poisson forms; with K = ΦΦᵀ, ridge on the coefficients of features
// (a = Φᵀα) where there are more of them than rows. At the minimum λα = w(y − m) and 1ᵀα = 0. With K̃ = K/λ, α̃ = λα and W
// the curvature, a step adds
//
//   Δα̃ = v − RK̃v − R1Δb,  1ᵀ(α̃ + Δα̃) = 0,   v = w(y − m) − α̃,  R = (K̃ + W⁻¹)⁻¹
//
// where R needs no inverse of K: one output, R = W^½(I + W^½K̃W^½)⁻¹W^½; several classes, with D_c = wm_c,
// E_c = (K̃ + D_c⁻¹)⁻¹ and S = Σ_c E_c, R_ab = δ_ab E_a − E_a S⁻¹ E_b. Without offset the minimum is the mode of a
// Gaussian process with covariance K/λ, and Laplace's evidence of that process comes with it (offsets count as known).
// References: Zhu & Hastie (2005), Kernel logistic regression and the import vector machine; Williams & Barber (1998);
// Rasmussen & Williams (2006), algorithms 3.1 and 3.3; Schölkopf & Smola (2002), 16.4 and 16.5.
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/solvers/glm/glm_family.h"
#include "mercer/solvers/svm/free_columns.h"

namespace mercer {

struct DualNewtonOptions {
  /// Of max|λα − w(y − m)|, relative to that of the offsets alone (+ 1 where y has no units). Where rounding ends the
  /// steps before, its root will do, if the last step would have gained no more than that part of the objective.
  double tolerance = 1e-9;
  Index max_iterations = 100;
};

struct DualNewtonSolution {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;
  Matrix<double> alpha;            ///< n × C
  std::vector<double> intercepts;  ///< b; of several classes with sum 0
  Matrix<double> linear;           ///< n × C: Kα + b
  double loss = 0;                 ///< Σ_i w_i loss(y_i, f_i)
  double objective = 0;
  double residual = 0;
  double log_determinant = 0;  ///< ln det(I + K̃W)
  /// −objective − ½ ln det(I + K̃W): Laplace's evidence, up to Σ_i w_i φ*(y_i), which is 0 for classes.
  double log_evidence = 0;
};

/// K is n × n and positive semidefinite; its lower triangle is read. λ > 0. `start` is a solution of a similar problem,
/// or null. Per step n³/3 flops and n² numbers; multinomial: C·n³ and (C + 2)n². The first three families treat several
/// outputs one after the other. InvalidArgument for sizes that do not fit, NumericalError where K is not positive
/// semidefinite, Stopped.
DualNewtonSolution dual_newton(ConstMatrixView<double> kernel, const GlmTargets& targets, double lambda,
                               NetIntercept intercept, const DualNewtonSolution* start,
                               const DualNewtonOptions& options, const Run& run);

}  // namespace mercer
