#include "mercer/report/sections/density_scores.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/linalg/cholesky.h"
#include "mercer/models/density/density_parts.h"
#include "mercer/models/density/density_units.h"
#include "mercer/report/numeric_columns.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

constexpr Index most_normal_columns = 100;
constexpr Index most_left_out_rows = 50000;

Metric mean_metric(const char* name, std::span<const double> values, double shift, double baseline) {
  const Mean mean = mean_of(values);
  return {.name = name,
          .value = mean.value + shift,
          .lower = mean.value + shift - interval_quantile * mean.standard_error,
          .upper = mean.value + shift + interval_quantile * mean.standard_error,
          .baseline = baseline + shift,
          .better = Better::higher};
}

Metric share_metric(const char* name, Index count, Index total) {
  const ProportionInterval limits = wilson_interval(count, total);
  return {.name = name,
          .value = static_cast<double>(count) / static_cast<double>(total),
          .lower = limits.lower,
          .upper = limits.upper,
          .baseline = unknown_value,
          .better = Better::lower};
}

// ln p of every training row without itself, where the model can say.
std::vector<double> left_out(const ReportInput& input, const Run& run) {
  const auto* const kde = offered<SmoothDensity>(input.model());
  if (kde == nullptr || input.part != DataPart::training || kde->density().size() > most_left_out_rows ||
      !kde->density().parts().weights.empty() || !kde->density().parts().bounds.empty()) {
    return {};
  }
  std::vector<double> values = kde->density().log_density_without_own(run);
  const bool finite = std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  return finite ? values : std::vector<double>();
}

struct NormalFit {
  std::vector<double> means;
  Matrix<double> factor;  // of the covariance, below the diagonal

  std::vector<double> centered(const Samples& samples, Index i) const {
    std::vector<double> row;
    for (std::size_t j = 0; j < means.size(); ++j) {
      row.push_back(numeric_value(samples, i, static_cast<Index>(j)) - means[j]);
    }
    return row;
  }

  double mean_log_density(const Samples& samples) const {
    const Index d = factor.rows();
    double squares = 0;
    for (Index i = 0; i < samples.size(); ++i) {
      std::vector<double> row = centered(samples, i);
      for (Index a = 0; a < d; ++a) {
        double& value = row[a];
        for (Index b = 0; b < a; ++b) {
          value -= factor(a, b) * row[b];
        }
        value /= factor(a, a);
        squares += value * value;
      }
    }
    double log_norm = 0.5 * static_cast<double>(d) * std::log(2 * std::numbers::pi);
    for (Index a = 0; a < d; ++a) {
      log_norm += std::log(factor(a, a));
    }
    return -log_norm - 0.5 * squares / static_cast<double>(samples.size());
  }
};

// Nothing where the covariance is singular.
std::optional<NormalFit> fit_normal(const Samples& samples, const Run& run) {
  const Index d = samples.columns();
  const auto n = static_cast<double>(samples.size());
  NormalFit fit{std::vector<double>(d), Matrix<double>::filled(d, d, 0)};
  std::vector<double> sums(fit.means.size());
  for (Index i = 0; i < samples.size(); ++i) {
    for (Index j = 0; j < d; ++j) {
      sums[j] += numeric_value(samples, i, j) / n;
    }
  }
  fit.means = std::move(sums);
  for (Index i = 0; i < samples.size(); ++i) {
    const std::vector<double> row = fit.centered(samples, i);
    for (Index a = 0; a < d; ++a) {
      for (Index b = 0; b <= a; ++b) {
        fit.factor(a, b) += row[a] * row[b] / n;
      }
    }
  }
  // What is left of a column's variance beside the others (and of its mean) must be more than rounding.
  constexpr double rounding = 1e-12;
  std::vector<double> least;
  for (Index a = 0; a < d; ++a) {
    const double mean = fit.means[a];
    least.push_back(rounding * std::max(fit.factor(a, a), rounding * mean * mean));
  }
  if (!try_cholesky(fit.factor.view(), run).ok) {
    return std::nullopt;
  }
  for (Index a = 0; a < d; ++a) {
    if (!(fit.factor(a, a) * fit.factor(a, a) > least[a])) {
      return std::nullopt;
    }
  }
  return fit;
}

}  // namespace

double normal_log_density(const Samples& training, const Samples& samples, const Run& run) {
  const Samples known = numeric_part(training);
  const Samples asked = numeric_part(samples);
  const Index d = known.columns();
  if (d == 0 || d > most_normal_columns || d != asked.columns() || known.size() <= d || asked.size() == 0) {
    return unknown_value;
  }
  const std::optional<NormalFit> normal = fit_normal(known, run);
  return normal ? normal->mean_log_density(asked) : unknown_value;
}

std::vector<BaselineFact> density_baselines(const std::vector<ReportMetric>& metrics) {
  if (metrics.empty() || !std::isfinite(metrics.front().metric.baseline)) {
    return {};
  }
  const Metric& metric = metrics.front().metric;
  return {{"normal distribution", metric.name, metric.baseline,
           "one normal distribution with the mean and the covariance of the training rows, of the data where these are "
           "not known"}};
}

std::vector<Metric> density_scores(const ReportInput& input, const Predictions& predictions, const Run& run) {
  const double shift = log_density_factor(*input.stored);
  std::vector<double> finite;
  Index zero = 0;
  Index infinite = 0;
  for (const double value : column_of(predictions.values, 0)) {
    zero += value < 0 && std::isinf(value) ? 1 : 0;
    infinite += value > 0 && std::isinf(value) ? 1 : 0;
    if (std::isfinite(value)) {
      finite.push_back(value);
    }
  }
  std::vector<Metric> metrics;
  const TrainingData* const training = input.training_rows();
  const bool all = static_cast<Index>(finite.size()) == input.rows();
  // A normal distribution is finite everywhere, so that other means cannot be compared with it.
  const double normal =
      all ? normal_log_density(training != nullptr ? training->samples : input.samples, input.samples, run)
          : unknown_value;
  if (!finite.empty()) {
    metrics.push_back(mean_metric(all ? "mean log-density" : "mean log-density where finite", finite, shift, normal));
    metrics.back().kind = all ? MetricKind::mean_log_density : MetricKind::other;
  }
  const std::vector<double> without = left_out(input, run);
  if (!without.empty()) {
    metrics.push_back(mean_metric("leave-one-out log-density", without, shift, normal));
  }
  if (zero > 0) {
    metrics.push_back(share_metric("fraction at density 0", zero, input.rows()));
    metrics.back().kind = MetricKind::share_at_density_zero;
  }
  if (infinite > 0) {
    metrics.push_back(share_metric("fraction at infinite density", infinite, input.rows()));
  }
  return metrics;
}

}  // namespace mercer
