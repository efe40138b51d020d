// Elastic net on dense features: least squares with a penalty that sets most coefficients to 0,
//
//   min_{b,A}  ½ Σ_i w_i ‖y_i − b − Φ_i A‖² + λ1 Σ_j c_j ‖a_j‖ + (λ2/2) Σ_j c_j ‖a_j‖²
//
// a_j is row j of A: one number for one target (the lasso, ‖a‖ = |a|), for several targets all weights of one feature,
// which are 0 together (group lasso). Φ is any n × M matrix; the offset b and features with c_j = 0 are not penalised
// and are projected out.
//
//   working set   features enter by the sequential strong rule and where they break the optimality conditions, which
//                 are checked for all features at the end: nothing is left out by mistake
//   inside it     coordinate descent on the products of the features (n is not touched again), and for one target steps
//                 of Newton's method within the orthant of the present signs, so that nearly dependent features (smooth
//                 kernels) cost no accuracy
//   duality gap   with residual R, U = ΦᵀWR and any s: D(s) = s⟨y,R⟩ − ½s²‖R‖² − Σ_j (s‖u_j‖ − λ1c_j)₊²/(2λ2c_j); the
//                 last term is 0 for s ≤ min_j λ1c_j/‖u_j‖, which is all that λ2 = 0 allows
//
// References: Friedman, Hastie & Tibshirani (2010), Regularization paths for generalized linear models via coordinate
// descent; Tibshirani et al. (2012), Strong rules for discarding predictors in lasso-type problems; Lee, Battle, Raina &
// Ng (2006), Efficient sparse coding algorithms (steps within an orthant).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/solvers/svm/free_columns.h"

namespace mercer {

/// Views: what they refer to must outlive the solver.
struct ElasticNetProblem {
  ConstMatrixView<double> features;      ///< Φ: n × M
  ConstMatrixView<double> targets;       ///< n × C, C ≥ 1
  std::span<const double> weights = {};  ///< w: n positive numbers; empty: all 1
  std::span<const double> factors = {};  ///< c: M numbers ≥ 0; empty: all 1; 0: not penalised
  NetIntercept intercept = NetIntercept::fitted;

  /// InvalidArgument for sizes that do not fit, weights that are not positive, factors that are negative;
  /// NumericalError for features or targets that are not finite.
  void validate() const;
};

struct ElasticNetPenalty {
  double l1 = 0;  ///< λ1 ≥ 0
  double l2 = 0;  ///< λ2 ≥ 0; one of both must be positive

  void validate() const;
};

struct ElasticNetOptions {
  /// Of the duality gap, relative to the loss of the offset (and the features that are not penalised) alone.
  double tolerance = 1e-9;
  Index max_iterations = 500;  ///< rounds of the working set
  Index max_passes = 2000;     ///< of coordinate descent in one round

  void validate() const;
};

struct ElasticNetSolution {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;            ///< rounds of the working set
  Index passes = 0;                ///< of coordinate descent
  Matrix<double> coefficients;     ///< A: M × C, with exact zeros
  std::vector<double> intercepts;  ///< b: C numbers
  std::vector<Index> active;       ///< the features whose coefficients are not 0, ascending
  double objective = 0;
  double gap = 0;        ///< objective − dual value: the objective is no more than this above the minimum
  double violation = 0;  ///< max_j (‖u_j − λ2c_ja_j − λ1c_ja_j/‖a_j‖‖, ‖u_j‖ − λ1c_j where a_j = 0)
};

/// One problem, any number of penalties: each solution starts from the one before, and the products of features are
/// kept. A decreasing sequence of λ1 is a path. Memory: the working set twice over (k·n and k² numbers for k features).
class ElasticNet {
 public:
  ElasticNet(const ElasticNetProblem& problem, const Run& run);
  /// The same for a problem that is known to be valid, with a start as in start_at(); largest_l1() is 0 then.
  ElasticNet(const ElasticNetProblem& problem, ConstMatrixView<double> start, const Run& run);
  ~ElasticNet();
  ElasticNet(const ElasticNet&) = delete;
  ElasticNet& operator=(const ElasticNet&) = delete;
  ElasticNet(ElasticNet&&) = delete;
  ElasticNet& operator=(ElasticNet&&) = delete;

  /// The least λ1 at which all penalised coefficients are 0: max_j ‖u_j‖/c_j with the residual of the offset alone.
  double largest_l1() const;
  /// M × C coefficients to start from; their features are the first working set.
  void start_at(ConstMatrixView<double> coefficients);
  /// Per round one product with all of Φ (nMC flops); per pass k²C. Throws Stopped.
  ElasticNetSolution solve(const ElasticNetPenalty& penalty, const ElasticNetOptions& options = {});

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

/// One solution.
ElasticNetSolution elastic_net(const ElasticNetProblem& problem, const ElasticNetPenalty& penalty,
                               const ElasticNetOptions& options, const Run& run);

/// `count` numbers from `largest` down to largest · ratio, each the same fraction of the one before.
std::vector<double> penalty_sequence(double largest, double ratio, Index count);

}  // namespace mercer
