// Elastic net and group lasso for generalized linear models:
//
//   min_{b,A}  Σ_i w_i loss(y_i, b + Φ_i A) + λ1 Σ_j ‖a_j‖ + (λ2/2) Σ_j ‖a_j‖²
//
// for every family of glm_family.h: least squares, binary logistic, Poisson, and the multinomial, where all C weights of
// one feature are one group. Proximal Newton steps: the loss is replaced by weighted least squares with its curvature
// (for several classes a bound of it), solved by elastic_net.h, and the step is halved until the objective falls; for
// several outputs Newton's method inside the features that are in use (glm_newton.h) makes up for the bound.
//
// Features enter by the strong rule and where they break the optimality conditions of all. The duality gap comes from θ = s·w(y − m) with its mean taken out, s ≤ 1: D = Σ_i w_i(φ*(y_i) − φ*(y_i − θ_i/w_i)) −
// Σ_j (‖Φ_jᵀθ‖ − λ1)₊²/(2λ2).
// References: Lee, Sun & Saunders (2014), Proximal Newton-type methods; Friedman, Hastie & Tibshirani (2010); Simon,
// Friedman & Hastie (2013), A blockwise descent algorithm for group-penalized multiresponse and multinomial regression.
#pragma once

#include <memory>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/solvers/glm/elastic_net.h"
#include "mercer/solvers/glm/glm_family.h"

namespace mercer {

struct GlmNetOptions {
  double tolerance = 1e-8;  ///< of the duality gap, relative to the loss of the offsets alone
  Index max_iterations = 200;
};

struct GlmNetSolution {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;
  Matrix<double> coefficients;     ///< A: M × C, with exact zeros
  std::vector<double> intercepts;  ///< b
  std::vector<Index> active;       ///< the features in use, ascending
  double loss = 0;                 ///< Σ_i w_i loss(y_i, f_i)
  double objective = 0;
  double gap = 0;
  double violation = 0;  ///< of the optimality conditions, as in ElasticNetSolution
};

/// One problem, any number of penalties, each solution starting from the one before (a path). Views must outlive it.
class GlmNet {
 public:
  /// InvalidArgument for sizes that do not fit, NumericalError for features that are not finite, and as in
  /// GlmTargets::validate().
  GlmNet(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept, const Run& run);
  ~GlmNet();
  GlmNet(const GlmNet&) = delete;
  GlmNet& operator=(const GlmNet&) = delete;
  GlmNet(GlmNet&&) = delete;
  GlmNet& operator=(GlmNet&&) = delete;

  /// The least λ1 at which all coefficients are 0: max_j ‖Φ_jᵀw(y − m(b))‖ with the offsets alone.
  double largest_l1() const;
  /// The loss of the offsets alone.
  double null_loss() const;
  /// λ1 > 0. Throws Stopped.
  GlmNetSolution solve(const ElasticNetPenalty& penalty, const GlmNetOptions& options = {});

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace mercer
