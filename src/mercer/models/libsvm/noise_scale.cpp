#include "mercer/models/libsvm/noise_scale.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

double laplace_scale(std::span<const double> residuals) {
  if (residuals.empty()) {
    throw InvalidArgument("the scale of noise needs at least one residual");
  }
  double sum = 0;
  for (const double residual : residuals) {
    sum += std::abs(residual);
  }
  const double limit = 5 * std::sqrt(2.0) * (sum / static_cast<double>(residuals.size()));
  double kept_sum = 0;
  double kept = 0;
  for (const double residual : residuals) {
    if (std::abs(residual) <= limit) {
      kept_sum += std::abs(residual);
      ++kept;
    }
  }
  return kept_sum / kept;
}

std::optional<std::vector<double>> one_class_marks(std::span<const double> decisions) {
  constexpr std::size_t bins = 5;  // on either side
  std::vector<double> sorted(decisions.begin(), decisions.end());
  std::sort(sorted.begin(), sorted.end());
  const auto negative = static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), 0.0) - sorted.begin());
  const std::size_t positive = sorted.size() - negative;
  if (negative < bins || positive < bins) {
    return std::nullopt;
  }
  std::vector<double> edges;
  for (std::size_t i = 0; i < bins; ++i) {
    edges.push_back(sorted[i * negative / bins]);
  }
  edges.push_back(0);
  for (std::size_t i = 1; i <= bins; ++i) {
    edges.push_back(sorted[negative - 1 + i * positive / bins]);
  }
  std::vector<double> marks(2 * bins);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    marks[i] = (edges[i] + edges[i + 1]) / 2;
  }
  return marks;
}

double one_class_probability(std::span<const double> marks, double decision) {
  if (marks.empty()) {
    throw InvalidArgument("one-class probabilities need marks");
  }
  if (decision < marks.front()) {
    return 0.001;
  }
  if (decision > marks.back()) {
    return 0.999;
  }
  const auto below = std::upper_bound(marks.begin(), marks.end(), decision) - marks.begin();
  const auto last = static_cast<std::ptrdiff_t>(marks.size());
  // The last mark itself: LIBSVM finds no mark above it and leaves 0; its neighbours say nine tenths.
  return static_cast<double>(std::min(below, last - 1)) / static_cast<double>(last);
}

}  // namespace mercer
