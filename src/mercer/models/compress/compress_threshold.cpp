#include "mercer/models/compress/compress_threshold.h"
#include "mercer/models/classes/decision_class.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

// A step from the ends of the values that is certain to leave them, in their own units.
double beyond_all(double least, double most) {
  const double size = std::abs(least) + std::abs(most);
  return size > 0 ? size : 1;
}

}  // namespace

double best_threshold_shift(std::span<const double> values, std::span<const double> signs) {
  struct Sample {
    double value;
    double sign;
  };
  std::vector<Sample> sorted;
  Index wrong = 0;  // with the threshold below all values: everything is positive
  Index wrong_now = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (signs[i] != 0) {
      sorted.push_back({values[i], signs[i]});
      wrong += signs[i] < 0 ? 1 : 0;
      wrong_now += is_positive_side(values[i]) != (signs[i] > 0) ? 1 : 0;
    }
  }
  if (sorted.empty()) {
    return 0;
  }
  std::ranges::sort(sorted, {}, &Sample::value);
  double best_shift = 0;
  Index best_wrong = wrong_now;
  const auto consider = [&](double threshold) {
    if (wrong < best_wrong ||
        (wrong == best_wrong && wrong < wrong_now && std::abs(threshold) < std::abs(best_shift))) {
      best_wrong = wrong;
      best_shift = -threshold;
    }
  };
  const double margin = beyond_all(sorted.front().value, sorted.back().value);
  consider(sorted.front().value - margin);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    wrong += sorted[i].sign > 0 ? 1 : -1;
    if (i + 1 == sorted.size()) {
      consider(sorted[i].value + margin);
    } else if (sorted[i + 1].value > sorted[i].value) {
      consider(sorted[i].value + (sorted[i + 1].value - sorted[i].value) / 2);
    }
  }
  return best_shift;
}

double quantile_shift(std::span<const double> values, Index inside) {
  const auto n = static_cast<Index>(values.size());
  const Index now = std::ranges::count_if(values, is_positive_side);
  if (now == inside || n == 0) {
    return 0;
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double margin = beyond_all(sorted.front(), sorted.back());
  Index outside = std::clamp<Index>(n - inside, 0, n);
  // No boundary parts equal values: rounding would.
  while (outside > 0 && outside < n && sorted[outside - 1] == sorted[outside]) {
    --outside;
  }
  const double below = outside == 0 ? sorted.front() - margin : sorted[outside - 1];
  const double above = outside == n ? sorted.back() + margin : sorted[outside];
  return -(below + (above - below) / 2);
}

}  // namespace mercer
