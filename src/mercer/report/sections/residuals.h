// Regression: predictions against the truth with their intervals, how often intervals of every probability hold the
// truth, and, for one input column, the fitted function itself.
#pragma once

#include <optional>
#include <vector>

#include "mercer/report/predictions.h"
#include "mercer/report/report_input.h"

namespace mercer {

/// The probability of the intervals that are drawn.
inline constexpr double interval_level = 0.95;

/// Levels of quantiles that give the central intervals of 5, 10, … 95 % and of coverage_levels.
std::vector<double> report_quantile_levels();

/// `predictions` with those levels where the model has a distribution. At most most_points_shown points over all
/// outputs.
RegressionSection regression_section(const ReportInput& input, const Predictions& predictions, const Run& run);

/// The share of targets (all outputs together) inside the central intervals; nothing without quantiles.
std::optional<CoverageCurve> coverage_curve(const Predictions& predictions);
/// Nothing where no quantiles were fitted.
std::optional<LevelShares> level_shares(const Predictions& predictions);

}  // namespace mercer
