// The loss that a model was fitted with, as a capability of models (models/capability.h).
#pragma once

#include "mercer/models/capability.h"
#include "mercer/theory/losses/loss_list.h"

namespace mercer {

class FittedLoss : public Capability {
 public:
  virtual LossKind loss_kind() const = 0;
  /// Of residuals, in the units of the output's targets: c(ξ) up to the factor that C has; of margins.
  virtual LossPointer loss(Index output) const = 0;
};

}  // namespace mercer
