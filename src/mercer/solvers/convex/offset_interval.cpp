#include "mercer/solvers/convex/offset_interval.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer {

namespace {

constexpr double no_slope = 1e-9;
constexpr int halvings = 200;  // of an interval of doubles: until its ends are neighbours

// The slope of the cost at b: every group's worst row, if it misses the margin, pulls to its own side.
double slope_at(double b, std::span<const double> values, std::span<const double> signs, std::span<const Index> groups,
                std::span<const double> costs) {
  std::vector<double> worst(costs.size(), 0.0);
  std::vector<double> pull(costs.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (groups[i] < 0) {
      continue;
    }
    const auto g = static_cast<std::size_t>(groups[i]);
    const double missing = 1 - signs[i] * (values[i] + b);
    if (missing > worst[g]) {
      worst[g] = missing;
      pull[g] = -signs[i] * costs[g];
    }
  }
  return std::accumulate(pull.begin(), pull.end(), 0.0);
}

}  // namespace

OffsetInterval cheapest_offsets(std::span<const double> values, std::span<const double> signs,
                                std::span<const Index> groups, std::span<const double> costs) {
  double largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  const double limit = no_slope * std::accumulate(costs.begin(), costs.end(), 0.0);
  // Where the slope, which rises, ceases to be one before the boundary.
  const auto boundary = [&](auto is_before) {
    double low = -(largest + 2);
    double high = largest + 2;
    for (int k = 0; k < halvings; ++k) {
      const double middle = low + (high - low) / 2;
      (is_before(slope_at(middle, values, signs, groups, costs)) ? low : high) = middle;
    }
    return low + (high - low) / 2;
  };
  return {boundary([&](double slope) { return slope < -limit; }),
          boundary([&](double slope) { return slope <= limit; })};
}

}  // namespace mercer
