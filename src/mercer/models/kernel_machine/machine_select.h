// How the penalty of a kernel machine is chosen: held-out loss over folds along a path, or the largest evidence.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/models/kernel_machine/machine_problem.h"

namespace mercer {

/// Fits at decreasing penalties, one after the other, and shows each; false: no more are wanted.
using PenaltyPath =
    std::function<void(ConstMatrixView<double> features, const GlmTargets& targets, std::span<const double> lambdas,
                       const std::function<bool(std::size_t number, const GlmPoint& point)>& show, const Run& run)>;

struct HeldOutLosses {
  std::vector<double> means;   ///< per penalty: loss per unit of weight over all folds; infinite: not reached
  std::vector<double> errors;  ///< standard errors over the folds
  std::size_t best = 0;        ///< the least mean
  std::size_t sparsest = 0;    ///< the largest penalty within one standard error of it
};

/// Folds of rows (classes in proportion) from run.seed(); penalties are scaled by the share of the weight that a fold is
/// trained on. A fold ends its path where the held-out loss has risen several times. Folds run side by side, each with a
/// copy of its features. Needs two rows.
HeldOutLosses held_out_losses(ConstMatrixView<double> features, const MachineRows& rows, Index folds,
                              std::span<const double> lambdas, const PenaltyPath& path, const Run& run);

/// The λ with the largest evidence: decades from `largest` down to `least`, then between the neighbours of the best.
/// NumericalError counts as −∞; it is thrown where no λ has an evidence.
double largest_evidence(double largest, double least, const std::function<double(double lambda)>& evidence,
                        const Run& run);

}  // namespace mercer
