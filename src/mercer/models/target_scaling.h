// Targets brought to mean 0 and variance 1 before a Gaussian process sees them, and back: kernels with amplitude 1 are
// then a sensible start whatever the units, and what the model says is in the user's units again.
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"

namespace mercer {

struct TargetScaling {
  std::vector<double> means;   ///< per output
  std::vector<double> scales;  ///< per output, positive

  double standardized(double value, Index output) const { return (value - means[output]) / scales[output]; }
  double restored(double value, Index output) const { return means[output] + scales[output] * value; }
  double scale(Index output) const { return scales[output]; }
};

/// none: values stay. each: every output has its own scale. common: one scale for all outputs, so that a known noise
/// means the same for each of them. robust: medians and median absolute deviations (times 1.4826, as for a normal
/// distribution) in their place, which a few outliers do not move.
enum class Standardization { none, each, common, robust };

/// The means and deviations of the columns (of constant ones the deviation is taken as 1); weights count rows (empty:
/// all 1).
TargetScaling target_scaling(ConstMatrixView<double> targets, std::span<const double> weights, Standardization kind);

}  // namespace mercer
