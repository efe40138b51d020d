#include "mercer/models/model_state.h"

#include <utility>

#include "mercer/models/fields.h"
#include "mercer/models/model.h"

namespace mercer {

ModelState state_of(const FittedModel& model, std::string_view only) {
  ModelState state{.head = model.head(), .kernel = {}, .parts = {}};
  const Run run;
  Fields visit(Fields::Direction::saving, state, run, only);
  // One description serves both ways; a visitor that saves only reads.
  const_cast<FittedModel&>(model).fields(visit);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return state;
}

ModelParts parts_of(const FittedModel& model) { return std::move(state_of(model).parts); }

ModelParts part_of(const FittedModel& model, std::string_view name) { return std::move(state_of(model, name).parts); }

}  // namespace mercer
