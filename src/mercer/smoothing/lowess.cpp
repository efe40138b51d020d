#include "mercer/smoothing/lowess.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/smoothing/robustness.h"

namespace mercer {

namespace {

constexpr Index points_per_task = 64;

// The first point of the window of `count` neighbours around `place`.
std::size_t window_start(const std::vector<double>& x, std::size_t count, double place) {
  std::size_t first = 0;
  std::size_t last = x.size() - count;
  // Moving right helps while the point that enters is nearer than the one that leaves; that changes once only.
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (place - x[middle] > x[middle + count] - place) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

double tricube(double distance, double width) {
  const double share = distance / width;
  const double cube = 1 - share * share * share;
  return cube * cube * cube;
}

// The line through the weighted points at `place`; false where no point has weight.
bool local_line(const LowessFit& fit, double place, std::size_t start, double& value) {
  const std::vector<double>& x = fit.x;
  const auto count = static_cast<std::size_t>(fit.neighbors);
  const double range = x.back() - x.front();
  const double width = std::max(place - x[start], x[start + count - 1] - place);
  std::size_t end = start;
  std::vector<double> weights;
  double total = 0;
  for (; end < x.size(); ++end) {
    const double distance = std::abs(x[end] - place);
    if (distance > 0.999 * width) {
      if (x[end] > place) {
        break;
      }
      weights.push_back(0);
      continue;
    }
    const double window = distance <= 0.001 * width ? 1 : tricube(distance, width);
    weights.push_back(window * fit.robustness[end]);
    total += weights.back();
  }
  if (!(total > 0)) {
    return false;
  }
  // From the place: far from the origin a mean of the points themselves would lose digits.
  const auto from_place = [&](std::size_t k) { return x[start + k] - place; };
  double mean = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] /= total;
    mean += weights[k] * from_place(k);
  }
  double spread = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    spread += weights[k] * (from_place(k) - mean) * (from_place(k) - mean);
  }
  const double slope = width > 0 && std::sqrt(spread) > 0.001 * range ? -mean / spread : 0;
  value = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    value += weights[k] * (1 + slope * (from_place(k) - mean)) * fit.y[start + k];
  }
  return true;
}

// Weights from residuals; false where they are all so small that nothing would change.
bool reweigh(LowessFit& fit) {
  std::vector<double> residuals(fit.y.size());
  double mean_size = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    residuals[i] = fit.y[i] - fit.fitted[i];
    mean_size += std::abs(residuals[i]) / static_cast<double>(residuals.size());
  }
  if (bisquare_limit(residuals) < 1e-7 * mean_size) {
    return false;
  }
  fit.robustness = bisquare_weights(residuals);
  return true;
}

void smooth(LowessFit& fit, const Run& run) {
  const auto n = static_cast<Index>(fit.x.size());
  parallel_for(run, (n + points_per_task - 1) / points_per_task, [&](Index task) {
    const Index end = std::min(n, (task + 1) * points_per_task);
    for (Index i = task * points_per_task; i < end; ++i) {
      fit.fitted[i] = fit.value(fit.x[i]);
    }
  });
}

}  // namespace

void LowessOptions::validate() const {
  if (!(span > 0) || !std::isfinite(span)) {
    reject_argument("span", span, "a positive fraction of the points");
  }
  if (robust_iterations < 0) {
    reject_argument("robust_iterations", static_cast<double>(robust_iterations), "0 or more");
  }
}

Index lowess_neighbors(const LowessOptions& options, Index n) {
  const double wanted = std::min(static_cast<double>(n), options.span * static_cast<double>(n) + 1e-7);
  return std::min(n, std::max<Index>(2, static_cast<Index>(wanted)));
}

double LowessFit::value(double place) const {
  double result = 0;
  if (x.size() > 1 && local_line(*this, place, window_start(x, static_cast<std::size_t>(neighbors), place), result)) {
    return result;
  }
  // No neighbour has weight: the nearest point itself.
  const auto right = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), place) - x.begin());
  if (right == x.size() || (right > 0 && place - x[right - 1] < x[right] - place)) {
    return y[right - 1];
  }
  return y[right];
}

LowessFit fit_lowess(std::span<const double> x, std::span<const double> y, const LowessOptions& options,
                     const Run& run) {
  options.validate();
  if (x.empty() || x.size() != y.size()) {
    throw InvalidArgument("lowess needs as many targets as points, and at least one");
  }
  const std::size_t n = x.size();
  LowessFit fit;
  fit.order.resize(n);
  std::iota(fit.order.begin(), fit.order.end(), std::size_t{0});
  std::stable_sort(fit.order.begin(), fit.order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  for (const std::size_t point : fit.order) {
    fit.x.push_back(x[point]);
    fit.y.push_back(y[point]);
  }
  fit.robustness.assign(n, 1);
  fit.fitted.assign(n, 0);
  fit.neighbors = lowess_neighbors(options, static_cast<Index>(n));
  smooth(fit, run);
  for (Index iteration = 0; iteration < options.robust_iterations && reweigh(fit); ++iteration) {
    smooth(fit, run);
  }
  return fit;
}

}  // namespace mercer
