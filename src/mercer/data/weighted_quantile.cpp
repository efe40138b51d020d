#include "mercer/data/weighted_quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

void sort_by_value(std::span<WeightedValue> values) { std::ranges::sort(values, {}, &WeightedValue::value); }

double weighted_quantile(std::span<const WeightedValue> sorted, double p) {
  double total = 0;
  for (const WeightedValue& one : sorted) {
    total += one.weight;
  }
  // Sums of n weights are known to n roundings.
  const double slack = static_cast<double>(sorted.size()) * std::numeric_limits<double>::epsilon() * total;
  const double wanted = p * total;
  double below = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    below += sorted[i].weight;
    if (std::abs(below - wanted) <= slack && i + 1 < sorted.size()) {
      return sorted[i].value / 2 + sorted[i + 1].value / 2;
    }
    if (below >= wanted) {
      return sorted[i].value;
    }
  }
  return sorted.empty() ? std::numeric_limits<double>::quiet_NaN() : sorted.back().value;
}

}  // namespace mercer
