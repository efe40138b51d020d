// Minimises a smooth function of few variables inside a box by BFGS with a dense matrix B and a trust region: every step
// minimises
//
//   gᵀd + ½ dᵀBd   over the box and |d_i| ≤ radius        (box_step.h)
//
// B is scaled down by yᵀs/sᵀBs before an update that finds less curvature than it holds (self-scaling: Oren &
// Luenberger 1974, Al-Baali 1998): on functions that level off, as the evidence of Gaussian processes does in length
// scales, curvature learnt earlier is always too much, and steps stay too short. Updates that would lose
// positive definiteness are damped (Powell 1978). For up to some hundred variables; p²–p³ operations per step.
#pragma once

#include <span>

#include "mercer/base/run.h"
#include "mercer/linalg/view.h"
#include "mercer/solvers/smooth/quasi_newton.h"

namespace mercer {

struct DenseQuasiNewtonOptions {
  Index max_evaluations = 200;
  /// Ends where the model promises less than half of tolerance · (1 + |value|), or two steps in a row give less than it.
  double tolerance = 1e-6;
  double first_radius = 1;  ///< how far a variable may move in the first step; later up to four times as far
  /// B at the start, positive definite; empty: unknown.
  ConstMatrixView<double> curvature = {};

  void validate() const;
};

/// Starts at `start`, moved into the box lower ≤ x ≤ upper. The result is never worse than the start. A stop of `run`
/// throws Stopped; exceptions of the function pass through. NumericalError where the start has no value.
QuasiNewtonResult minimize_few_in_box(const SmoothFunction& function, std::span<const double> start,
                                      std::span<const double> lower, std::span<const double> upper,
                                      const DenseQuasiNewtonOptions& options, const Run& run);

}  // namespace mercer
