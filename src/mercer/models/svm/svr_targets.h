// Targets as ε- and ν-SVR see them: in their own units, or brought to mean 0 and variance 1, which is taken back in
// predictions. Mean and variance count a row as often as its weight says.
#pragma once

#include <span>
#include <vector>

#include "mercer/models/target_scaling.h"

namespace mercer {

struct SvrTargets {
  std::vector<double> values;
  double mean = 0;
  double deviation = 1;

  double restored(double value) const { return mean + deviation * value; }
};

/// Whether there is a constant that can take the mean up: without one targets are divided by their deviation alone.
enum class TargetMean { taken_out, kept };

/// none or each.
SvrTargets svr_targets(std::vector<double> given, std::span<const double> weights, Standardization kind,
                       TargetMean mean = TargetMean::taken_out);

}  // namespace mercer
