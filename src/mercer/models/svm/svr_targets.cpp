#include "mercer/models/svm/svr_targets.h"

namespace mercer {

SvrTargets svr_targets(std::vector<double> given, std::span<const double> weights, Standardization kind,
                       TargetMean mean) {
  SvrTargets result{.values = std::move(given)};
  if (kind == Standardization::none) {
    return result;
  }
  const ConstMatrixView<double> column(result.values.data(), static_cast<Index>(result.values.size()), 1);
  const TargetScaling scaling = target_scaling(column, weights, kind);
  result.deviation = scaling.scales.front();
  if (mean == TargetMean::kept) {
    for (double& value : result.values) {
      value /= result.deviation;
    }
    return result;
  }
  result.mean = scaling.means.front();
  for (double& value : result.values) {
    value = scaling.standardized(value, 0);
  }
  return result;
}

}  // namespace mercer
