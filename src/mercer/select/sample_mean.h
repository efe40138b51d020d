// Means with their standard errors: what the intervals of metrics are made of.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "mercer/base/error.h"

namespace mercer {

inline constexpr double interval_quantile = 1.959963984540054;  ///< Φ⁻¹(0.975)
inline constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();

struct Mean {
  double value = 0;
  double standard_error = 0;  ///< NaN for a single value
};

/// Two passes: the squared deviations of nearly equal numbers would cancel in one.
inline Mean mean_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Mean mean;
  mean.value = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) {
    squares += (v - mean.value) * (v - mean.value);
  }
  mean.standard_error = values.size() > 1 ? std::sqrt(squares / (n - 1) / n) : unknown_value;
  return mean;
}

/// InvalidArgument where there are no samples or another number of predictions.
inline void require_one_each(std::size_t truth, std::size_t predicted) {
  if (truth != predicted) {
    throw InvalidArgument("there are " + std::to_string(predicted) + " predictions for " + std::to_string(truth) +
                          " samples");
  }
}

inline void require_same_length(std::size_t truth, std::size_t predicted) {
  require_one_each(truth, predicted);
  if (truth == 0) {
    throw InvalidArgument("there are no samples to score");
  }
}

}  // namespace mercer
