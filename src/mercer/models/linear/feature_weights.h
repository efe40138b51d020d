// Weights of single features, as a capability of models (models/capability.h): w and b of every machine, and what the
// features are.
#pragma once

#include "mercer/linalg/matrix.h"
#include "mercer/models/capability.h"
#include "mercer/models/linear/explicit_input.h"

namespace mercer {

/// w·x + b for one or several machines.
struct LinearMachines {
  Matrix<double> weights;     ///< columns of the samples × machines
  Matrix<double> intercepts;  ///< 1 × machines

  Index count() const { return weights.columns(); }
  /// n × machines, by one product per block of rows; sparse rows stay sparse. DataError where the samples are not
  /// real vectors of as many columns, or not finite.
  Matrix<double> values(const Samples& samples, const Run& run) const;
};

class FeatureWeights : public Capability {
 public:
  virtual const LinearMachines& machines() const = 0;
  virtual const ExplicitInput& input() const = 0;
};

}  // namespace mercer
