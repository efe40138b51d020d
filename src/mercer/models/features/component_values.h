// A number that says something of every component of features, as a capability of models (models/capability.h).
#pragma once

#include <array>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/models/capability.h"

namespace mercer {

enum class ComponentValue { variance, canonical_correlation, eigenvalue, squared_length, signal_to_noise, contrast };
constexpr auto words_of(ComponentValue) {
  return std::array{Word{ComponentValue::variance, "variance"},
                    Word{ComponentValue::canonical_correlation, "canonical correlation"},
                    Word{ComponentValue::eigenvalue, "eigenvalue"},
                    Word{ComponentValue::squared_length, "squared length"},
                    Word{ComponentValue::signal_to_noise, "signal-to-noise ratio"},
                    Word{ComponentValue::contrast, "contrast"}};
}

class ComponentValues : public Capability {
 public:
  virtual ComponentValue component_value() const = 0;
  /// One per component.
  virtual const std::vector<double>& component_values() const = 0;
};

}  // namespace mercer
