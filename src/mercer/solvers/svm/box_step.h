// The step of a quasi-Newton method inside a box: the minimum of a quadratic model with few variables,
//
//   min gᵀd + ½ dᵀBd,   lower ≤ d ≤ upper,   B positive definite, lower ≤ 0 ≤ upper
//
// by active sets: the free variables go to their minimum or to the first bound on the way, which is kept; when they are
// there, bounds that hold against the slope are released (Nocedal & Wright 2006, 16.7).
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/view.h"

namespace mercer {

struct BoxStep {
  std::vector<double> step;
  double decrease = 0;  ///< of the model: −gᵀd − ½ dᵀBd ≥ 0
};

/// p³/3 operations per set of free variables; of these there are seldom more than a few. The model is never higher than
/// at d = 0, also where B is singular to rounding and the minimum is not reached.
BoxStep minimize_model_in_box(ConstMatrixView<double> b, std::span<const double> gradient,
                              std::span<const double> lower, std::span<const double> upper, const Run& run);

}  // namespace mercer
