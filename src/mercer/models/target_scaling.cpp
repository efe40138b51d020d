#include "mercer/models/target_scaling.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/power_of_two.h"

namespace mercer {

namespace {

// The smallest value at which half of the weight lies at or below it.
double weighted_median(std::vector<std::pair<double, double>> values) {
  std::ranges::sort(values);
  double total = 0;
  for (const auto& [value, weight] : values) {
    total += weight;
  }
  double below = 0;
  for (const auto& [value, weight] : values) {
    below += weight;
    if (below >= total / 2) {
      return value;
    }
  }
  return values.back().first;
}

// Replaces the mean and deviation of a column by their robust counterparts, unless half of the values are equal.
void make_robust(ConstMatrixView<double> targets, Index column, std::span<const double> weights, double& mean,
                 double& scale) {
  std::vector<std::pair<double, double>> values;
  for (Index i = 0; i < targets.rows(); ++i) {
    values.emplace_back(targets(i, column), weights.empty() ? 1.0 : weights[i]);
  }
  const double median = weighted_median(values);
  for (auto& [value, weight] : values) {
    value = std::abs(value - median);
  }
  const double deviation = 1.4826 * weighted_median(std::move(values));
  if (deviation > 0) {
    mean = median;
    scale = deviation;
  }
}

double unit_near(ConstMatrixView<double> values) {
  double largest = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    for (const double value : values.row(i)) {
      largest = std::max(largest, std::abs(value));
    }
  }
  return power_of_two_near(largest);
}

}  // namespace

TargetScaling target_scaling(ConstMatrixView<double> targets, std::span<const double> weights, Standardization kind) {
  const auto outputs = static_cast<std::size_t>(targets.columns());
  TargetScaling result{.means = std::vector<double>(outputs, 0.0), .scales = std::vector<double>(outputs, 1.0)};
  if (kind == Standardization::none || targets.rows() == 0) {
    return result;
  }
  const auto weight = [&](Index i) { return weights.empty() ? 1.0 : weights[i]; };
  double total = 0;
  for (Index i = 0; i < targets.rows(); ++i) {
    total += weight(i);
  }
  const double unit = unit_near(targets);
  double pooled = 0;
  for (std::size_t o = 0; o < outputs; ++o) {
    const auto column = static_cast<Index>(o);
    // Deviations from the first value first: constant targets give exactly 0.
    const double origin = targets(0, column) / unit;
    double mean = 0;
    for (Index i = 0; i < targets.rows(); ++i) {
      mean += weight(i) * (targets(i, column) / unit - origin) / total;
    }
    double variance = 0;
    for (Index i = 0; i < targets.rows(); ++i) {
      const double deviation = targets(i, column) / unit - origin - mean;
      variance += weight(i) * deviation * deviation / total;
    }
    result.means[o] = unit * (origin + mean);
    result.scales[o] = variance > 0 && std::isfinite(variance) ? unit * std::sqrt(variance) : 1.0;
    pooled += variance / static_cast<double>(outputs);
    if (kind == Standardization::robust) {
      make_robust(targets, column, weights, result.means[o], result.scales[o]);
    }
  }
  if (kind == Standardization::common) {
    result.scales.assign(outputs, pooled > 0 && std::isfinite(pooled) ? unit * std::sqrt(pooled) : 1.0);
  }
  return result;
}

}  // namespace mercer
