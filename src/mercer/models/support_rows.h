// Which training rows a model's functions stand on, as a capability of models (models/capability.h).
#pragma once

#include <vector>

#include "mercer/models/capability.h"

namespace mercer {

class SupportRows : public Capability {
 public:
  /// Of the training samples, one per centre; no_training_row (models/compress_support.h) for a centre that is none.
  virtual const std::vector<Index>& support_rows() const = 0;
};

}  // namespace mercer
