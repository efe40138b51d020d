// Quantiles of numbers that count by their weights: the least value with a fraction p of the weights at or below it, the middle
// between it and the next where exactly p are (definition 2 of Hyndman & Fan 1996). Whole weights count copies of a number,
// and a common factor of the weights changes nothing; the median is the usual one.
#pragma once

#include <span>

namespace mercer {

struct WeightedValue {
  double value = 0;
  double weight = 1;
};

/// Ascending by value.
void sort_by_value(std::span<WeightedValue> values);

/// Of values in ascending order, 0 < p < 1; NaN where there are none. That "exactly p" is met is seen up to rounding.
double weighted_quantile(std::span<const WeightedValue> sorted, double p);

}  // namespace mercer
