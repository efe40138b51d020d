#include "mercer/smoothing/robustness.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/median.h"

namespace mercer {

double bisquare_limit(std::span<const double> residuals) {
  if (residuals.empty()) {
    return 0;
  }
  std::vector<double> sizes;
  for (const double r : residuals) {
    sizes.push_back(std::abs(r));
  }
  return 6 * median_of(std::move(sizes));
}

std::vector<double> bisquare_weights(std::span<const double> residuals, double rounding) {
  std::vector<double> weights(residuals.size(), 1.0);
  const double limit = bisquare_limit(residuals);
  if (limit < std::numeric_limits<double>::min() || limit <= 6 * rounding) {
    return weights;
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double share = std::abs(residuals[i]) / limit;
    if (share > 0.999) {
      weights[i] = 0;
    } else if (share > 0.001) {
      weights[i] = (1 - share * share) * (1 - share * share);
    }
  }
  return weights;
}

std::vector<double> pseudovalues(std::span<const double> y, std::span<const double> fitted,
                                 std::span<const double> prior, std::span<const double> robust) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < y.size(); ++i) {
    sizes.push_back(std::abs(y[i] - fitted[i]) * std::sqrt(prior[i]));
  }
  std::vector<double> result(fitted.begin(), fitted.end());
  const double median = y.empty() ? 0 : median_of(sizes);
  if (median == 0) {
    return result;
  }
  // c = n / Σ ψ'(r), with the bisquare's ψ in units of 6 medians.
  const double scale = 36 * median * median / 5;
  double slopes = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    slopes += (1 - sizes[i] * sizes[i] / scale) * std::sqrt(robust[i]);
  }
  const double factor = static_cast<double>(y.size()) / slopes;
  for (std::size_t i = 0; i < y.size(); ++i) {
    result[i] += factor * robust[i] * (y[i] - fitted[i]);
  }
  return result;
}

}  // namespace mercer
