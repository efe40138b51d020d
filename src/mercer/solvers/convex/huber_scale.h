// Support vector regression with Huber's loss whose scale σ is found, f = Kβ + b:
//
//   min ½βᵀKβ + Σ_i C_i ρ_σ(y_i − f_i) + Bσ/2       ρ_σ(ξ) = ξ²/(2σ) for |ξ| ≤ σ, |ξ| − σ/2 beyond
//
// ρ_σ(ξ) is the least s²/(2σ) + |ξ − s|, convex in ξ and σ at once, and falls with σ; Bσ/2 is what σ costs. With a multiplier
// β_i of y_i − f_i = s_i + t_i, what multiplies σ is B/2 − Σβ_i²/(2C_i), so that the dual has a ball,
//
//   max yᵀβ − ½βᵀKβ       Σβ = 0, |β_i| ≤ C_i, Σ_i β_i²/C_i ≤ B
//
// where the dual of ν-SVR has Σ|β| ≤ B, and σ is the ball's multiplier. At the optimum β_i = C_i min(1, |ξ_i|/σ) sign ξ_i, and
// where σ > 0
//
//   Σ_i C_i min(1, (ξ_i/σ)²) = B
//
// With B = νΣC at most a fraction ν of the rows (weighed by C) is therefore beyond σ. For a given σ the dual without the ball
// is a box with σ/C on the diagonal, solved by the interior point or, from a neighbouring σ, by the rows between their bounds;
// the left hand side falls with σ, so that the root is bracketed, and found by Newton's method on its inverse root, as the
// radius of a trust region is. The gap of the two objectives above is the proof.
// References: Schölkopf & Smola (2002), problem 9.21; Huber (1981), Robust Statistics, 7.7 (a scale beside the location);
// Moré & Sorensen (1983), Computing a trust region step.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/linalg/view.h"

namespace mercer {

struct HuberScale {
  ConstMatrixView<double> gram;     ///< K, both triangles; positive
  std::span<const double> targets;  ///< y
  std::span<const double> bounds;   ///< C_i > 0, finite
  double price = 0;                 ///< B > 0
};

struct HuberScaleSolution {
  std::vector<double> coefficients;  ///< β
  std::vector<double> values;        ///< Kβ
  double offset = 0;                 ///< b
  double scale = 0;                  ///< σ; 0: errors cost their size, and the ball is not reached
  double primal = 0;
  double dual = 0;
  double relative_gap = 0;                      ///< (primal − dual) / the larger of their sizes
  Index bounded = 0;                            ///< coefficients at their bound: rows beyond σ
  Index iterations = 0;                         ///< of the interior point
  SolveStatus status = SolveStatus::converged;  ///< by the gap against the tolerance
};

/// InvalidArgument for sizes that do not fit or a price that is not positive; NumericalError where K is not positive. Same bits
/// for any number of threads. Memory beside K: a matrix of its size.
HuberScaleSolution solve_huber_scale(const HuberScale& problem, double tolerance, const Run& run);

}  // namespace mercer
