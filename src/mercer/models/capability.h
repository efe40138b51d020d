// Capabilities: what some models offer beside predictions (support vectors, weights of features, draws, errors without a
// row, …). Each is a small interface of its own that a model derives from; whoever needs one asks for it by type:
//
//   if (const auto* tube = offered<Tube>(model)) { … tube->tube_widths() … }
//
// so that nobody outside a model's family asks which model it is. FittedModel keeps what every model has.
#pragma once

#include <concepts>

#include "mercer/models/model.h"

namespace mercer {

/// What interfaces of capabilities derive from.
class Capability {
 public:
  Capability() = default;
  virtual ~Capability() = default;
  Capability(const Capability&) = delete;
  Capability& operator=(const Capability&) = delete;
  Capability(Capability&&) = delete;
  Capability& operator=(Capability&&) = delete;
};

/// Null where the model does not offer it.
template <std::derived_from<Capability> Offered>
  requires(!std::derived_from<Offered, FittedModel>)
const Offered* offered(const FittedModel& model) {
  return dynamic_cast<const Offered*>(&model);
}

}  // namespace mercer
