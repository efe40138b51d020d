// Objective values of linear machines over all samples, given the decision values f_i without intercept.
#pragma once

#include <span>

#include "mercer/base/run.h"
#include "mercer/solvers/linear/linear_loss.h"

namespace mercer::linear {

/// The samples and the loss: what the sums below run over. Sums are taken over fixed blocks, in order.
struct LossSum {
  std::span<const LinearSample> samples;
  LinearLoss loss = LinearLoss::hinge;
  double epsilon = 0;
};

/// Σ_i C_i loss(t_i, f_i + intercept). O(n).
double total_loss(const LossSum& sum, std::span<const double> decisions, double intercept, const Run& run);

/// The b that minimises total_loss to rounding, the middle of them where there are several (all rows inside the tube,
/// rows at their bounds that balance each other); `guess` speeds up the squared losses. Unsquared: the loss is piecewise
/// linear in b, and its minimum is found among the kinks by selection. Squared: Newton's method on the derivative,
/// which is piecewise linear and increasing, kept within a bracket. O(n) expected.
double best_intercept(const LossSum& sum, std::span<const double> decisions, double guess, const Run& run);

/// Parts of the dual objective by the sign of β: Σ t β - ε |β|, Σ β^2 / 4C (squared losses) and Σ |β|.
struct DualSums {
  double linear = 0;
  double quadratic = 0;
  double size = 0;
};
struct SignedDualSums {
  DualSums positive;
  DualSums negative;
};
SignedDualSums dual_sums(const LossSum& sum, const Run& run);

/// Factors in [0, 1] on the β > 0 and the β < 0 that make Σ β = 0.
struct Balance {
  double positive = 1;
  double negative = 1;
};
Balance balance(const SignedDualSums& sums);

}  // namespace mercer::linear
