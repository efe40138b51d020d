#include "mercer/models/density/density_units.h"

#include <cmath>

#include "mercer/models/density/density_parts.h"

namespace mercer {

double log_density_factor(const StoredModel& stored, std::span<const Index> columns) {
  double sum = 0;
  for (const Index column : columns) {
    sum += std::log(stored.preparation.scaling.density_factor(column));
  }
  return sum;
}

double log_density_factor(const StoredModel& stored) {
  const auto* const kde = offered<SmoothDensity>(*stored.model);
  std::vector<Index> columns;
  for (Index j = 0; j < static_cast<Index>(stored.preparation.scaling.factor.size()); ++j) {
    if (kde == nullptr || !kde->left_out().contains(j)) {
      columns.push_back(j);
    }
  }
  return log_density_factor(stored, columns);
}

}  // namespace mercer
