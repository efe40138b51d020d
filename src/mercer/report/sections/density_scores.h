// How well a density fits rows: the mean of ln p over them, beside that of one normal distribution with the mean and the
// covariance (divided by n) of the training rows. A difference of δ means that rows are e^δ times as likely, on average
// over ln p. Rows where p is 0 or infinite are counted, not averaged.
#pragma once

#include <vector>

#include "mercer/report/predictions.h"
#include "mercer/report/report_data.h"
#include "mercer/report/report_input.h"
#include "mercer/select/metrics.h"

namespace mercer {

/// In the units of the file. On the rows of the fit, kernel densities add the mean over rows left out one by one.
std::vector<Metric> density_scores(const ReportInput& input, const Predictions& predictions, const Run& run);

/// The normal distribution beside the first metric, where it is known.
std::vector<BaselineFact> density_baselines(const std::vector<ReportMetric>& metrics);

/// Mean of ln p over the samples of a normal distribution fitted to `training`, both as the model takes them; NaN where
/// the covariance is singular or there are more than 100 columns. O(n d²).
double normal_log_density(const Samples& training, const Samples& samples, const Run& run);

}  // namespace mercer
