// What smoothers and densities keep of the rows that they were fitted to, as a capability of models
// (models/capability.h).
#pragma once

#include "mercer/linalg/matrix.h"
#include "mercer/models/capability.h"

namespace mercer {

class TrainingPoints : public Capability {
 public:
  /// The rows that count, in their order, in the units of the samples. Equal ones may be one; a column that the model
  /// leaves out is 0, or is not there.
  virtual Matrix<double> training_points() const = 0;
};

}  // namespace mercer
