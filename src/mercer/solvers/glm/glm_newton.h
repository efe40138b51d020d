// Newton's method for a penalised generalized linear model where it is smooth,
//
//   min_{b,A}  Σ_i w_i loss(y_i, b + Φ_i A) + Σ_j (λ1‖a_j‖ + (λ2/2)‖a_j‖²)
//
// with λ1 = 0: ridge on the coefficients (L2VM); with λ1 > 0: inside the features whose a_j are not 0, where the group
// lasso is smooth too. All unknowns at once, (M + 1)C of them, by Cholesky factors of the Hessian with steps halved until
// the objective falls. Gaussian targets need one step, and one factor of size M + 1 serves all outputs.
// Reference: Green (1984), Iteratively reweighted least squares; Murphy (2012), 8.3 and 14.3.2.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/solvers/glm/elastic_net.h"
#include "mercer/solvers/glm/glm_family.h"

namespace mercer {

struct GlmNewtonOptions {
  double tolerance =
      1e-10;  ///< of Newton's decrement (half of it is the fall still expected), relative to the objective (+ 1 where y has no units)
  Index max_iterations = 100;
};

/// Coefficients M × C and offsets: where to start, and where it ended.
struct GlmPoint {
  Matrix<double> coefficients;
  std::vector<double> intercepts;
};

struct GlmNewtonSolution {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;
  double objective = 0;
  double decrement = 0;
  /// ½ ln det of the Hessian and its number of unknowns: what Laplace's evidence needs.
  double half_log_determinant = 0;
  GlmPoint point;
};

/// Per step nM²C² flops and ((M + 1)C)³/3. Groups that are 0 with λ1 > 0 are not allowed: InvalidArgument. Stopped.
GlmNewtonSolution glm_newton(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept,
                             const ElasticNetPenalty& penalty, GlmPoint start, const GlmNewtonOptions& options,
                             const Run& run);

/// The best offsets beside the rest of a linear predictor: `linear` (n × C) and `intercepts` change by the same numbers,
/// after which Σ_i w_i(y_i − m_i) is at the level of rounding. nC² flops per step.
void glm_fit_offsets(const GlmTargets& targets, MatrixView<double> linear, std::span<double> intercepts);

/// n × C: b + ΦA.
Matrix<double> glm_linear(ConstMatrixView<double> features, const GlmPoint& point, const Run& run);

}  // namespace mercer
