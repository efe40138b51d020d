// Metrics of predictive distributions, each with a 95 % interval and what a trivial predictor reaches, as metrics.h.
//
//   SMSE      Σ(y − m)² / Σ(y − ȳ)² = 1 − R²                    delta method for a ratio
//   NLPD      mean of −ln p(y): lower is better, in nats          mean ± z se
//   MSLL      mean of −ln p(y) + ln p₀(y): below 0 is better than the trivial predictor      mean ± z se
//   pinball   mean of ρ_τ(y − q_τ) over rows and levels τ, ρ_τ(r) = τ r above 0 and (τ − 1) r below: lower is better, in the
//             units of the target                                mean ± z se
//   below     the fraction of targets at or below the quantile of a level; best where it equals the level    Wilson (1927)
//   coverage  the fraction of targets inside the central interval of a probability; best where it equals that
//             probability                                        Wilson (1927)
//
// The trivial predictor p₀ is the normal distribution with mean and variance (divisor n) of the very targets that are
// scored: it knows what no model could. References: Rasmussen & Williams (2006), 2.5; Gneiting & Raftery (2007).
#pragma once

#include <span>
#include <vector>

#include "mercer/select/metrics.h"

namespace mercer {

/// All metrics here: O(n); InvalidArgument where there are no samples or the lengths differ. NaN among the inputs gives
/// NaN. SMSE and MSLL are NaN where the truth is constant.
Metric standardized_mean_squared_error(std::span<const double> truth, std::span<const double> mean);

/// log_density[i] = ln p(truth_i). Infinite densities give infinite values, without an interval.
Metric negative_log_predictive_density(std::span<const double> truth, std::span<const double> log_density);
Metric mean_standardized_log_loss(std::span<const double> truth, std::span<const double> log_density);

/// Limits of the central interval that holds `level` (in (0, 1)) of the predictive distribution; on them counts as
/// inside. The name is "coverage 95 %" for level 0.95.
Metric coverage(std::span<const double> truth, std::span<const double> lower, std::span<const double> upper,
                double level);

/// quantiles: n × levels, those of sample i in row i. The baseline: the quantiles of these very targets at these levels.
Metric pinball_loss(std::span<const double> truth, ConstMatrixView<double> quantiles, std::span<const double> levels);

/// The name is "below quantile 0.05" for level 0.05.
Metric share_below(std::span<const double> truth, std::span<const double> quantile, double level);

/// ln N(truth_i | mean_i, variance_i): for models whose predictive distribution is normal. InvalidArgument unless every
/// variance is positive.
std::vector<double> normal_log_density(std::span<const double> truth, std::span<const double> mean,
                                       std::span<const double> variance);

}  // namespace mercer
