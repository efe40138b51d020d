// The losses of linear machines as functions of the residual r = t - f, and their conjugates.
//
//   excess m:  hinge losses max(0, t r) (t = ±1, so t r = 1 - t f);  epsilon-insensitive losses max(0, |r| - ε)
//   loss = C m or C m^2;  conjugate part of the dual: -t β + ε |β| (+ β^2 / 4C for squared losses), β in a box
//
// Fenchel and Young: loss(r) - β r + ε|β| (+ β²/4C) >= 0, and the sum of these over the samples is the duality gap.
#pragma once

#include <cmath>
#include <limits>

#include "mercer/base/simd.h"
#include "mercer/solvers/linear/linear_svm.h"

namespace mercer::linear {

constexpr bool is_squared(LinearLoss loss) {
  return loss == LinearLoss::squared_hinge || loss == LinearLoss::squared_epsilon_insensitive;
}
constexpr bool is_hinge(LinearLoss loss) { return loss == LinearLoss::hinge || loss == LinearLoss::squared_hinge; }

/// What the solvers keep of one sample: 32 bytes, so that a random visit touches one cache line.
struct alignas(32) LinearSample {
  double beta = 0;
  double target = 0;
  double curvature = 0;  ///< second derivative of the dual objective along β_i
  double bound = 0;      ///< C_i
};

// std::fmax and std::fmin are calls, because of NaN.
MERCER_INLINE double larger(double a, double b) { return a > b ? a : b; }
MERCER_INLINE double smaller(double a, double b) { return a < b ? a : b; }

template <LinearLoss loss>
MERCER_INLINE double excess(double residual, double target, double epsilon) {
  if constexpr (is_hinge(loss)) {
    return larger(0.0, target * residual);
  } else {
    return larger(0.0, std::fabs(residual) - epsilon);
  }
}

template <LinearLoss loss>
MERCER_INLINE double loss_value(double residual, double target, double bound, double epsilon) {
  const double m = excess<loss>(residual, target, epsilon);
  return is_squared(loss) ? bound * m * m : bound * m;
}

/// Minus the derivative of the loss by the residual's f: the β that fits this residual (at kinks the one nearer 0).
template <LinearLoss loss>
MERCER_INLINE double loss_slope(double residual, double target, double bound, double epsilon) {
  const double m = excess<loss>(residual, target, epsilon);
  const double size = is_squared(loss) ? 2 * bound * m : (m > 0 ? bound : 0.0);
  return std::copysign(size, is_hinge(loss) ? target : residual);
}

/// Calls work with the loss as a compile-time constant.
template <class Work>
MERCER_INLINE auto with_loss(LinearLoss loss, Work&& work) {
  switch (loss) {
    case LinearLoss::hinge:
      return work.template operator()<LinearLoss::hinge>();
    case LinearLoss::squared_hinge:
      return work.template operator()<LinearLoss::squared_hinge>();
    case LinearLoss::epsilon_insensitive:
      return work.template operator()<LinearLoss::epsilon_insensitive>();
    case LinearLoss::squared_epsilon_insensitive:
      break;
  }
  return work.template operator()<LinearLoss::squared_epsilon_insensitive>();
}

}  // namespace mercer::linear
