#include "mercer/models/density/density_units.h"

#include <cmath>

#include "mercer/models/density/density_parts.h"

namespace mercer {

double log_density_factor(const StoredModel& stored, std::span<const Index> columns) {
  double sum = 0;
  for (const Index column : columns) {
    sum += std::log(stored.scaling.density_factor(column));
  }
  return sum;
}

double log_density_factor(const StoredModel& stored) {
  const auto* const kde = offered<SmoothDensity>(*stored.model);
  std::vector<Index> columns;
  for (Index j = 0; j < static_cast<Index>(stored.scaling.factor.size()); ++j) {
    if (kde == nullptr || !kde->left_out().contains(j)) {
      columns.push_back(j);
    }
  }
  return log_density_factor(stored, columns);
}

Matrix<double> predict_in_file_units(const StoredModel& stored, const Samples& scaled, const Run& run) {
  Matrix<double> values = stored.model->predict(scaled, run);
  if (stored.model->task() == Task::density) {
    const double shift = log_density_factor(stored);
    for (Index i = 0; i < values.rows(); ++i) {
      values(i, 0) += shift;
    }
  }
  return values;
}

}  // namespace mercer
