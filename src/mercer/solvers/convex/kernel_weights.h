// Multiple kernel learning: the weights of a sum of kernels that make a machine's objective smallest,
//
//   min_d J(d)     J(d) = min_f Σ_k ‖f_k‖²/(2d_k) + loss(Σ_k f_k + b)     d ≥ 0, ‖d‖_p ≤ 1
//
// J is convex. By duality J(d) = max_β L(β) − ½ Σ_k d_k q_k(β), q_k = βᵀK_kβ, so that any β that a machine's solver
// ends with gives a slope, ∂J/∂d_k = −½q_k, and a bound from below that holds for all weights at once:
//
//   min J ≥ L(β) − ½ ‖q(β)‖_{p/(p−1)}
//
// p = 1 makes most weights exactly 0, p = ∞ makes all of them 1. The first step is the closed form
// d_k ∝ ‖f_k‖^{2/(p+1)}, ‖f_k‖² = d_k² q_k, which never raises J but settles slowly where p is near 1; the others are
// Newton's, on a model of J with its second derivatives and a linearised constraint, shortened until J goes down.
// References: Kloft, Brefeld, Sonnenburg & Zien (2011), lp-Norm Multiple Kernel Learning; Rakotomamonjy, Bach, Canu &
// Grandvalet (2008), SimpleMKL; Chapelle & Rakotomamonjy (2008), Second Order Optimization of Kernel Parameters.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

/// What a machine says of one set of weights.
struct WeightEvaluation {
  double upper = 0;           ///< J(d), or what a machine solved to a tolerance has in its place: never below J(d)
  double linear = 0;          ///< L(β): J(d') ≥ L − ½ Σ d'_k q_k for all d' ≥ 0
  std::vector<double> norms;  ///< q_k ≥ 0, of all kernels, those of weight 0 included
};

/// A machine as a function of the weights.
class WeightProblem {
 public:
  WeightProblem() = default;
  virtual ~WeightProblem() = default;
  WeightProblem(const WeightProblem&) = delete;
  WeightProblem& operator=(const WeightProblem&) = delete;
  WeightProblem(WeightProblem&&) = delete;
  WeightProblem& operator=(WeightProblem&&) = delete;

  /// Solves the machine. Weights are nonnegative, at least one is positive.
  virtual WeightEvaluation evaluate(std::span<const double> weights, const Run& run) = 0;
  /// ∂²J/∂d_k∂d_l at the weights of the last evaluate(), positive semidefinite. Need not be exact: it shapes the steps.
  virtual Matrix<double> curvature(const Run& run) = 0;
};

struct KernelWeightOptions {
  double norm = 1;          ///< p ≥ 1, infinity allowed
  double tolerance = 1e-3;  ///< of the duality gap, relative to J
  Index max_rounds = 100;   ///< evaluations of J at most
};

struct KernelWeights {
  std::vector<double> weights;  ///< ‖d‖_p = 1
  double upper = 0;             ///< J of these weights
  double lower = 0;             ///< no weights are better than this
  Index rounds = 0;             ///< machines solved
  SolveStatus status = SolveStatus::converged;

  /// (upper − lower)/|upper|.
  double relative_gap() const;
};

/// `start`: nonnegative, not all 0; brought to ‖d‖_p = 1. Each round is one machine and, if it is not the last, one
/// curvature. InvalidArgument for options or a start that are not allowed; Stopped.
KernelWeights learn_kernel_weights(WeightProblem& problem, std::span<const double> start,
                                   const KernelWeightOptions& options, const Run& run);

/// ‖d‖_p for p ≥ 1, infinity included, without overflow.
double p_norm(std::span<const double> values, double p);

}  // namespace mercer
