// The median, of an even number of values the mean of the middle two; with weights, a value of weight w counts as w equal
// ones.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace mercer {

/// There must be a value. O(n).
inline double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

/// Where half of the weight lies below and half above, the mean of the two values beside that point. Pairs are (value,
/// weight), all weights positive, and there must be one. O(n log n).
inline double weighted_median_of(std::vector<std::pair<double, double>> values) {
  std::sort(values.begin(), values.end());
  double total = 0;
  for (const auto& [value, weight] : values) {
    total += weight;
  }
  const double slack = 1e-12 * total;  // sums that would be equal differ by rounding
  double below = 0;
  std::size_t i = 0;
  while (i + 1 < values.size() && (below += values[i].second) < total / 2 - slack) {
    ++i;
  }
  const bool between = below >= total / 2 - slack && below <= total / 2 + slack && i + 1 < values.size();
  return between ? (values[i].first + values[i + 1].first) / 2 : values[i].first;
}

}  // namespace mercer
