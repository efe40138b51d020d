// The training rows that answers are made of, as a capability of models (models/capability.h).
#pragma once

#include <vector>

#include "mercer/gram/nearest_rows.h"
#include "mercer/models/capability.h"

namespace mercer {

class Neighbors : public Capability {
 public:
  /// Per sample, nearest first.
  virtual std::vector<std::vector<NearRow>> neighbors(const Samples& samples, const Run& run) const = 0;
};

}  // namespace mercer
