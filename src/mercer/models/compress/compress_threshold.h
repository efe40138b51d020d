// Thresholds after a reduction: the functions of the reduced set are not quite those of the model, so that the constant
// that served the old ones need not be the best for the new ones.
#pragma once

#include <span>

#include "mercer/base/index.h"

namespace mercer {

/// What to add to all `values` so that as few as possible have another sign than `signs` (±1; 0: does not count). The
/// middle of the gap between two values; of several best gaps the one nearest to 0. 0 where no shift makes fewer errors
/// than none. n log n.
double best_threshold_shift(std::span<const double> values, std::span<const double> signs);

/// What to add to all `values` so that `inside` of them are not negative, or as few more as equal values need to stay
/// together: the middle of the gap. 0 where as many are inside already.
double quantile_shift(std::span<const double> values, Index inside);

}  // namespace mercer
