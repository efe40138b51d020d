// Decision regions: the model over a plane, with rows and support vectors on it.
//
//   two numeric columns and nothing else   the plane of the inputs itself
//   two chosen columns                     all others at their medians
//   otherwise                              a plane of the feature space (feature_plane.h)
//
// Coordinates are in the units of the data file. Values are decision values for two classes, predictions for regression
// and novelty, densities (density_map.h); labels are numbers of classes or clusters.
#pragma once

#include <optional>

#include "mercer/report/predictions.h"
#include "mercer/report/report_input.h"
#include "mercer/report/sections/support_vectors.h"

namespace mercer {

/// grid² predictions for input columns, O(m³) for m ≤ 500 rows otherwise. Nothing for models of one input column
/// without chosen axes (residuals.h draws their curve), for features, and without rows.
std::optional<RegionsSection> decision_regions(const ReportInput& input, const Predictions& predictions,
                                               const std::optional<SupportVectors>& support, const Run& run);

}  // namespace mercer
