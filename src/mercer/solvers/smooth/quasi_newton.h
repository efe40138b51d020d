// Minimises a smooth function inside a box by NLopt's limited-memory BFGS (Nocedal 1980; Luksan's code). On the evidence
// of Gaussian processes it needs about a third fewer evaluations than NLopt's SLSQP, whose quadratic model is dense, and
// ends as high; both can be caught by a poor start, so that several are worth their time.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

/// The value at x, and the gradient written to `gradient`. Infinity where there is no value.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct QuasiNewtonOptions {
  Index max_evaluations = 200;
  double tolerance = 1e-6;  ///< ends where a step lowers the value by less than tolerance · (value_unit + |value|)
  Index memory = 0;         ///< past steps that are kept; 0: as many as fit in 10 MB, which for many unknowns cost more
                            ///< than the evaluations
  /// The size of the values, and of every unknown how far it moves in a step that matters: the first step goes no
  /// farther. Empty: 1 each, and no such limit. The method has absolute constants (the first step is the gradient, a
  /// slope below 1e-8 is none): it sees value/value_unit and x_i/lengths_i, units rounded to powers of two, so that
  /// nothing is rounded on the way.
  double value_unit = 1;
  std::span<const double> lengths = {};

  void validate() const;
};

struct QuasiNewtonResult {
  SolveStatus status = SolveStatus::converged;
  std::vector<double> x;  ///< the best of all points that were evaluated
  double value = 0;
  Index evaluations = 0;
};

/// Starts at `start`, moved into the box lower ≤ x ≤ upper. The result is never worse than the start. A stop of `run`
/// throws Stopped; exceptions of the function pass through. NumericalError where the start has no value.
QuasiNewtonResult minimize_in_box(const SmoothFunction& function, std::span<const double> start,
                                  std::span<const double> lower, std::span<const double> upper,
                                  const QuasiNewtonOptions& options, const Run& run);

}  // namespace mercer
