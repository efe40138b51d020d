// Answers that follow from functions ⟨w, Φ(x)⟩ + b alone, as a capability of models (models/capability.h): on a plane
// through feature space such functions are affine.
#pragma once

#include "mercer/models/capability.h"

namespace mercer {

class FeatureSpaceFunction : public Capability {
 public:
  /// Whether this fit's decision values (predictions of regression) are such functions, decided upon at 0 or by the largest.
  virtual bool is_affine_in_feature_space() const { return true; }
};

}  // namespace mercer
