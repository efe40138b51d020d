// The points that stand on a plane of decision regions: rows with their class or value, and support vectors.
#pragma once

#include <span>

#include "mercer/report/predictions.h"
#include "mercer/report/report_data.h"
#include "mercer/report/sections/support_vectors.h"

namespace mercer {

/// State of every row of the training data: none unless it is a support vector.
std::vector<SupportState> support_by_row(const SupportVectors& support, Index rows);

/// Rows `shown` at (x[i], y[i]), with class (classification, known labels of novelty), cluster, or true value
/// with its residual. `states` is per row
/// of the data, or empty.
RegionPoints region_points(const FittedModel& model, const Predictions& predictions, std::span<const Index> shown,
                           const std::vector<double>& x, const std::vector<double>& y,
                           const std::vector<SupportState>& states);

}  // namespace mercer
