// Features: the rows in the plane of the first two components, coloured by the target where one is known, what the
// components are worth, and, for two input columns, every component as a function of them (Schölkopf, Smola & Müller
// 1998 draw kernel PCA like that).
#pragma once

#include "mercer/report/predictions.h"
#include "mercer/report/report_input.h"

namespace mercer {

/// No more components are drawn over the inputs.
inline constexpr Index most_feature_maps = 4;

/// `predictions.values` are the features. grid² features where there are maps. InvalidArgument for axes that are none.
FeaturesSection features_section(const ReportInput& input, const Predictions& predictions, const Run& run);

}  // namespace mercer
