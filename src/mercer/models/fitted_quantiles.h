// At which levels a model has fitted quantiles, as a capability of models (models/capability.h): those that it is scored at.
#pragma once

#include <vector>

#include "mercer/models/capability.h"

namespace mercer {

class FittedQuantiles : public Capability {
 public:
  /// Ascending, in (0, 1).
  virtual const std::vector<double>& fitted_levels() const = 0;
};

/// The levels at which quantiles of any model's distribution are scored: those that were fitted, 0.05, 0.25, 0.5, 0.75, 0.95
/// where none were.
inline std::vector<double> scored_levels(const FittedModel& model) {
  const auto* const fitted = offered<FittedQuantiles>(model);
  return fitted != nullptr ? fitted->fitted_levels() : std::vector<double>{0.05, 0.25, 0.5, 0.75, 0.95};
}

}  // namespace mercer
