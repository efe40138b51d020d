// Clusters: how many rows each holds, how tight it is, and, where labels are known, how they are spread over the clusters.
// The rows themselves stand on the plane of decision_regions.h, those of one column in a histogram.
#pragma once

#include <string>
#include <vector>

#include "mercer/report/predictions.h"
#include "mercer/report/report_input.h"

namespace mercer {

/// "cluster 0", … as many as the model has, whether rows fall into them or not.
std::vector<std::string> cluster_names(const FittedModel& model);

/// `predictions.classes` are the clusters, `decisions` the squared distances to their centres. O(n).
ClustersSection clusters_section(const ReportInput& input, const Predictions& predictions);

}  // namespace mercer
