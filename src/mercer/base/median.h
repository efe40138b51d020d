// The median, of an even number of values the mean of the middle two.
#pragma once

#include <algorithm>
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

}  // namespace mercer
