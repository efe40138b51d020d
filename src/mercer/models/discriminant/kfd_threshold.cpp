#include "mercer/models/discriminant/kfd_threshold.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/models/classes/decision_class.h"

namespace mercer {

namespace {

double class_sign(const ClassRows& rows, std::size_t i) {
  return rows.class_of(static_cast<Index>(i)) == 1 ? 1.0 : -1.0;
}

struct DiscriminantRange {
  double low;
  double high;
  /// Within the values, or just outside of them.
  double clamp(double cut) const {
    const double beside = std::max(1e-6 * (high - low), 1e-12);
    return std::clamp(cut, low - beside, high + beside);
  }
};

// s = cov(q, y)/var(q); the line through the means is 0 at mean q − mean y / s.
double least_squares_cut(std::span<const double> values, const ClassRows& rows, const DiscriminantRange& range) {
  double mean = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean += rows.weights()[i] / rows.total() * values[i];
  }
  const double mean_sign = (rows.total(1) - rows.total(0)) / rows.total();
  double covariance = 0;
  double variance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double w = rows.weights()[i];
    covariance += w * (values[i] - mean) * (class_sign(rows, i) - mean_sign);
    variance += w * (values[i] - mean) * (values[i] - mean);
  }
  if (!(covariance > 0)) {
    return mean_sign > 0 ? range.clamp(range.low - 1) : range.clamp(range.high + 1);
  }
  return range.clamp(mean - mean_sign * variance / covariance);
}

// The hinge losses for one slope s, minimised over b: the derivative in b rises from −m_1 to m_0 in steps at 1 − s q_i
// (class 1) and −1 − s q_i (class 0).
struct HingeFit {
  double offset = 0;
  double value = 0;
};
HingeFit hinge_fit(double slope, std::span<const double> values, const ClassRows& rows) {
  std::vector<std::pair<double, double>> steps;
  for (std::size_t i = 0; i < values.size(); ++i) {
    steps.emplace_back(class_sign(rows, i) - slope * values[i], rows.weights()[i]);
  }
  std::ranges::sort(steps);
  double derivative = -rows.total(1);
  HingeFit result;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    derivative += steps[i].second;
    const bool flat = std::abs(derivative) <= 1e-12 * rows.total();
    if (flat || derivative > 0) {
      result.offset = flat && i + 1 < steps.size() ? (steps[i].first + steps[i + 1].first) / 2 : steps[i].first;
      break;
    }
  }
  result.value = 0.5 * slope * slope;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.value += rows.weights()[i] * std::max(0.0, 1 - class_sign(rows, i) * (slope * values[i] + result.offset));
  }
  return result;
}

// The minimum over b is convex in s, so golden sections find it.
double svm_cut(std::span<const double> values, const ClassRows& rows, const DiscriminantRange& range) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double low = 0;
  // At s = 0 the losses are at most twice the smaller class: a larger ½s² cannot win.
  double high = 2 * std::sqrt(std::min(rows.total(0), rows.total(1)));
  double first = high - ratio * (high - low);
  double second = low + ratio * (high - low);
  double first_value = hinge_fit(first, values, rows).value;
  double second_value = hinge_fit(second, values, rows).value;
  for (int step = 0; step < 80; ++step) {
    if (first_value <= second_value) {
      high = second;
      second = first;
      second_value = first_value;
      first = high - ratio * (high - low);
      first_value = hinge_fit(first, values, rows).value;
    } else {
      low = first;
      first = second;
      first_value = second_value;
      second = low + ratio * (high - low);
      second_value = hinge_fit(second, values, rows).value;
    }
  }
  const double slope = (low + high) / 2;
  const double offset = hinge_fit(slope, values, rows).offset;
  if (!(slope > 1e-9)) {
    return offset > 0 ? range.clamp(range.low - 1) : range.clamp(range.high + 1);
  }
  return range.clamp(-offset / slope);
}

// ln π_1p_1(q) − ln π_0p_0(q) is a quadratic in q; of its roots the one where it rises. Beyond the other one the class of
// the wider density is the more probable again, which discriminant_class() knows.
double bayes_cut(const ClassDensities& densities, const DiscriminantRange& range) {
  const double m0 = densities.means()(0, 0);
  const double m1 = densities.means()(1, 0);
  const double v0 = densities.spread()(0, 0) * densities.spread()(0, 0);
  const double v1 = densities.spread()(1, 0) * densities.spread()(1, 0);
  const double a = 0.5 * (1 / v0 - 1 / v1);
  const double b = m1 / v1 - m0 / v0;
  const double c = 0.5 * (m0 * m0 / v0 - m1 * m1 / v1) + 0.5 * std::log(v0 / v1) + densities.log_priors()[1] -
                   densities.log_priors()[0];
  const double discriminant = b * b - 4 * a * c;
  if (discriminant < 0) {
    return a > 0 ? range.clamp(range.low - 1) : range.clamp(range.high + 1);
  }
  // (−b + √D)/2a in the form that does not cancel; the derivative there is √D.
  const double root = std::sqrt(discriminant);
  const double cut = b >= 0 ? -2 * c / (b + root) : (root - b) / (2 * a);
  return std::isnan(cut) ? (m0 + m1) / 2 : range.clamp(cut);
}

}  // namespace

double discriminant_threshold(KfdThreshold rule, std::span<const double> values, const ClassRows& rows,
                              const ClassDensities& densities) {
  const auto [low, high] = std::ranges::minmax(values);
  const DiscriminantRange range{low, high};
  switch (rule) {
    case KfdThreshold::automatic:
    case KfdThreshold::least_squares:
      break;
    case KfdThreshold::svm:
      return svm_cut(values, rows, range);
    case KfdThreshold::midpoint:
      return (densities.means()(0, 0) + densities.means()(1, 0)) / 2;
    case KfdThreshold::bayes:
      return bayes_cut(densities, range);
  }
  return least_squares_cut(values, rows, range);
}

Index discriminant_class(KfdThreshold rule, std::span<const double> values, const ClassDensities& densities) {
  if (rule == KfdThreshold::bayes) {
    return densities.most_probable(values);
  }
  return densities.classes() > 2 ? densities.nearest_mean(values) : class_of_value(values[0]);
}

}  // namespace mercer
