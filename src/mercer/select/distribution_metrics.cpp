#include "mercer/select/distribution_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/special_functions.h"
#include "mercer/base/text.h"
#include "mercer/select/sample_mean.h"
#include "mercer/theory/losses/residual_losses.h"

namespace mercer {

namespace {

constexpr double two_pi = 6.283185307179586;

struct Normal {
  double mean = 0;
  double variance = 0;
};

Normal trivial_predictor(std::span<const double> truth) {
  const double mean = mean_of(truth).value;
  double squares = 0;
  for (const double y : truth) {
    squares += (y - mean) * (y - mean);
  }
  return {mean, squares / static_cast<double>(truth.size())};
}

double log_normal(double y, double mean, double variance) {
  return -0.5 * (std::log(two_pi * variance) + (y - mean) * (y - mean) / variance);
}

Metric mean_loss(std::string name, std::span<const double> losses, double baseline) {
  const Mean mean = mean_of(losses);
  const double half = interval_quantile * mean.standard_error;
  const bool known = std::isfinite(mean.value);
  return {std::move(name),
          mean.value,
          known ? mean.value - half : unknown_value,
          known ? mean.value + half : unknown_value,
          baseline,
          Better::lower};
}

}  // namespace

Metric standardized_mean_squared_error(std::span<const double> truth, std::span<const double> mean) {
  const Metric r2 = r_squared(truth, mean);
  return {"smse", 1 - r2.value, 1 - r2.upper, 1 - r2.lower, 1, Better::lower};
}

Metric negative_log_predictive_density(std::span<const double> truth, std::span<const double> log_density) {
  require_same_length(truth.size(), log_density.size());
  std::vector<double> losses(log_density.begin(), log_density.end());
  for (double& loss : losses) {
    loss = -loss;
  }
  const double variance = trivial_predictor(truth).variance;
  Metric metric = mean_loss("nlpd", losses, variance > 0 ? 0.5 * (std::log(two_pi * variance) + 1) : unknown_value);
  metric.kind = MetricKind::predictive_log_loss;
  return metric;
}

Metric mean_standardized_log_loss(std::span<const double> truth, std::span<const double> log_density) {
  require_same_length(truth.size(), log_density.size());
  const Normal trivial = trivial_predictor(truth);
  if (!(trivial.variance > 0)) {
    return {"msll", unknown_value, unknown_value, unknown_value, 0, Better::lower};
  }
  std::vector<double> losses;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    losses.push_back(log_normal(truth[i], trivial.mean, trivial.variance) - log_density[i]);
  }
  return mean_loss("msll", losses, 0);
}

Metric coverage(std::span<const double> truth, std::span<const double> lower, std::span<const double> upper,
                double level) {
  if (!(level > 0 && level < 1)) {
    reject_argument("coverage: level", level, "between 0 and 1");
  }
  require_same_length(truth.size(), lower.size());
  require_same_length(truth.size(), upper.size());
  const Normal trivial = trivial_predictor(truth);
  Index inside = 0;
  Index inside_trivial = 0;
  bool known = true;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    known = known && !std::isnan(truth[i]) && !std::isnan(lower[i]) && !std::isnan(upper[i]);
    inside += lower[i] <= truth[i] && truth[i] <= upper[i] ? 1 : 0;
    // P(|Z| ≤ |z|) ≤ level: no quantile is needed.
    const double distance = std::abs(truth[i] - trivial.mean);
    inside_trivial += distance == 0 || std::erf(distance / std::sqrt(2 * trivial.variance)) <= level ? 1 : 0;
  }
  const auto n = static_cast<Index>(truth.size());
  const ProportionInterval limits = wilson_interval(inside, n);
  const double share = static_cast<double>(inside) / static_cast<double>(n);
  return {"coverage " + shortest(std::round(level * 1e8) / 1e6) + " %",
          known ? share : unknown_value,
          known ? limits.lower : unknown_value,
          known ? limits.upper : unknown_value,
          static_cast<double>(inside_trivial) / static_cast<double>(n),
          Better::closer};
}

namespace {

// The least mean loss that a constant has: that of the ⌈τn⌉-th smallest of the targets.
double loss_of_own_quantile(std::span<const double> ascending, double level) {
  const auto n = static_cast<double>(ascending.size());
  const auto at = static_cast<std::size_t>(std::clamp(std::ceil(level * n) - 1, 0.0, n - 1));
  const PinballLoss loss(level);
  double total = 0;
  for (const double y : ascending) {
    total += loss.value(ascending[at] - y);
  }
  return total / n;
}

}  // namespace

Metric pinball_loss(std::span<const double> truth, ConstMatrixView<double> quantiles, std::span<const double> levels) {
  require_same_length(truth.size(), static_cast<std::size_t>(quantiles.rows()));
  require_same_length(levels.size(), static_cast<std::size_t>(quantiles.columns()));
  if (levels.empty()) {
    throw InvalidArgument("pinball: there are no levels");
  }
  const auto count = static_cast<double>(levels.size());
  std::vector<double> losses(truth.size(), 0.0);
  double baseline = 0;
  std::vector<double> ascending(truth.begin(), truth.end());
  const bool known = std::ranges::none_of(ascending, [](double y) { return std::isnan(y); });
  if (known) {
    std::ranges::sort(ascending);
  }
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const PinballLoss loss(levels[l]);
    for (std::size_t i = 0; i < truth.size(); ++i) {
      losses[i] += loss.value(quantiles(static_cast<Index>(i), static_cast<Index>(l)) - truth[i]) / count;
    }
    baseline += known ? loss_of_own_quantile(ascending, levels[l]) / count : unknown_value;
  }
  Metric metric = mean_loss("pinball", losses, baseline);
  metric.lower = std::isnan(metric.lower) ? metric.lower : std::max(0.0, metric.lower);
  return metric;
}

Metric share_below(std::span<const double> truth, std::span<const double> quantile, double level) {
  require_same_length(truth.size(), quantile.size());
  const Normal trivial = trivial_predictor(truth);
  const double limit = trivial.mean + std::sqrt(trivial.variance) * normal_quantile(level);
  Index below = 0;
  Index below_trivial = 0;
  bool known = true;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    known = known && !std::isnan(truth[i]) && !std::isnan(quantile[i]);
    below += truth[i] <= quantile[i] ? 1 : 0;
    below_trivial += truth[i] <= limit ? 1 : 0;
  }
  const auto n = static_cast<Index>(truth.size());
  const ProportionInterval limits = wilson_interval(below, n);
  return {"below quantile " + shortest(level),
          known ? static_cast<double>(below) / static_cast<double>(n) : unknown_value,
          known ? limits.lower : unknown_value,
          known ? limits.upper : unknown_value,
          static_cast<double>(below_trivial) / static_cast<double>(n),
          Better::closer};
}

std::vector<double> normal_log_density(std::span<const double> truth, std::span<const double> mean,
                                       std::span<const double> variance) {
  require_same_length(truth.size(), mean.size());
  require_same_length(truth.size(), variance.size());
  std::vector<double> result;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!(variance[i] > 0)) {
      throw InvalidArgument("the predictive variance of sample " + std::to_string(i) + " (counted from 0) is " +
                            shortest(variance[i]) + "; variances must be positive");
    }
    result.push_back(log_normal(truth[i], mean[i], variance[i]));
  }
  return result;
}

}  // namespace mercer
