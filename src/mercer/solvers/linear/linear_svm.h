// Linear support vector machines by coordinate descent: the weights w themselves are kept, no kernel is evaluated.
//
//   l2:  min  1/2 |w|^2 + Σ_i C_i loss(t_i, w·x_i + b)        l1:  min  |w|_1 + Σ_i C_i loss(t_i, w·x_i + b)
//
//   hinge                        max(0, 1 - t f),  t = ±1     epsilon_insensitive          max(0, |t - f| - ε)
//   squared_hinge                max(0, 1 - t f)^2            squared_epsilon_insensitive  max(0, |t - f| - ε)^2
//
// The l2 penalty is solved in the dual, one β_i at a time in random order with shrinking (Hsieh, Chang, Lin, Keerthi,
// Sundararajan, "A dual coordinate descent method for large-scale linear SVM", 2008; regression: Ho and Lin 2012);
// w = Σ β_i x_i follows every step. The l1 penalty is solved in the primal, one w_j at a time (Yuan, Chang, Hsieh, Lin
// 2010), for the two squared losses, which are differentiable. Both end on a duality gap computed over all samples.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/data/samples.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

enum class LinearLoss { hinge, squared_hinge, epsilon_insensitive, squared_epsilon_insensitive };
constexpr auto words_of(LinearLoss) {
  return std::array{Word{LinearLoss::hinge, "hinge"}, Word{LinearLoss::squared_hinge, "squared_hinge"},
                    Word{LinearLoss::epsilon_insensitive, "epsilon_insensitive"},
                    Word{LinearLoss::squared_epsilon_insensitive, "squared_epsilon_insensitive"}};
}

enum class LinearPenalty { l2, l1 };
constexpr auto words_of(LinearPenalty) {
  return std::array{Word{LinearPenalty::l2, "l2"}, Word{LinearPenalty::l1, "l1"}};
}

/// none: b = 0. regularized: x gets a further column of value `intercept_scale`, whose weight is penalised like the
/// others (LIBLINEAR's -B). exact: b is not penalised; the dual gets the constraint Σ β_i = 0.
enum class LinearIntercept { none, regularized, exact };
constexpr auto words_of(LinearIntercept) {
  return std::array{Word{LinearIntercept::exact, "exact"}, Word{LinearIntercept::regularized, "regularized"},
                    Word{LinearIntercept::none, "none"}};
}

struct LinearSvmOptions {
  LinearLoss loss = LinearLoss::hinge;
  LinearPenalty penalty = LinearPenalty::l2;
  LinearIntercept intercept = LinearIntercept::exact;
  double intercept_scale = 1;  ///< of the regularized intercept
  double epsilon = 0.1;        ///< of the epsilon-insensitive losses, in the units of the targets
  double tolerance = 1e-3;     ///< on (primal - dual) / primal
  int max_passes = 1000;       ///< over the samples (l2) or columns (l1) that are not shrunk

  /// Throws InvalidArgument: a number out of range, or an l1 penalty with a loss that is not squared.
  void validate() const;
};

/// Views: the caller keeps the memory. Samples are dense or sparse real vectors; dense rows whose columns are not
/// adjacent are copied, all others are used as they are stored. The l1 penalty makes one copy by columns.
struct LinearProblem {
  Samples samples;
  std::span<const double> targets;  ///< ±1 for the hinge losses, any finite number otherwise
  std::span<const double> bounds;   ///< C_i >= 0, finite; a sample with C_i = 0 has no influence
  /// l2 only: β to start from, moved into the feasible box; empty: 0.
  std::span<const double> start = {};
};

struct LinearSvmResult {
  std::vector<double> weights;
  double intercept = 0;
  SolveStatus status = SolveStatus::converged;
  int passes = 0;
  /// Objective values of (weights, intercept) and of `dual_variables`, a feasible point of the dual problem: the
  /// optimum lies between them. Computed over all samples, in double. After `stopped` they are those of the last
  /// verification; primal and gap are infinite where there was none.
  double primal = 0;
  double dual = 0;
  double gap = 0;  ///< primal - dual
  double seconds = 0;
  /// β_i; t_i β_i >= 0 is LIBSVM's α_i for classes. l2: w = Σ β_i x_i up to rounding (exact intercept: up to the gap).
  std::vector<double> dual_variables;

  double relative_gap() const { return primal > 0 ? gap / primal : 0; }
};

/// Minimises the objective above. A pass costs two operations per nonzero of the samples that are not shrunk; memory
/// beyond the data is 7 n + 4 d numbers (l2), plus up to 32 d of them during verifications. The order of steps depends
/// on run.seed() alone: the same seed gives the same bits for any number of threads.
///
/// Never throws Stopped: a stop returns the weights reached. `stalled` means that no step changes anything in double
/// precision although the gap exceeds the tolerance. Throws InvalidArgument (options, shapes, no samples, one class
/// only) and DataError (targets that are not ±1, bounds, values that are not finite or whose squares overflow).
LinearSvmResult solve_linear_svm(const LinearProblem& problem, const LinearSvmOptions& options, const Run& run = {});

}  // namespace mercer
