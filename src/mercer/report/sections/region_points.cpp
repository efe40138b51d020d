#include "mercer/report/sections/region_points.h"

namespace mercer {

std::vector<SupportState> support_by_row(const SupportVectors& support, Index rows) {
  std::vector<SupportState> states(rows, SupportState::none);
  for (std::size_t i = 0; i < support.rows.size(); ++i) {
    if (support.rows[i] < rows) {
      states[support.rows[i]] = support.states[i];
    }
  }
  return states;
}

RegionPoints region_points(const FittedModel& model, const Predictions& predictions, std::span<const Index> shown,
                           const std::vector<double>& x, const std::vector<double>& y,
                           const std::vector<SupportState>& states) {
  RegionPoints points;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const auto i = static_cast<std::size_t>(shown[k]);
    points.x.push_back(x[k]);
    points.y.push_back(y[k]);
    switch (model.task()) {
      case Task::classification:
        points.classes.push_back(predictions.classes[i]);
        break;
      case Task::regression:
        points.values.push_back(predictions.truth(shown[k], 0));
        points.residuals.push_back(predictions.truth(shown[k], 0) - predictions.values(shown[k], 0));
        break;
      case Task::novelty:
        points.values.push_back(predictions.decisions(shown[k], 0));
        if (!predictions.normal.empty()) {
          points.classes.push_back(predictions.normal[i]);
        }
        break;
      case Task::clustering:
        points.classes.push_back(predictions.classes[i]);
        break;
      case Task::density:
        points.values.push_back(predictions.values(shown[k], 0));
        break;
      case Task::features:
        break;  // coloured by targets, which predictions know nothing of
    }
    if (!states.empty()) {
      points.support.push_back(states[i]);
    }
  }
  return points;
}

}  // namespace mercer
