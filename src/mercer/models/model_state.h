// ModelState: a model as plain data, between a model and a file. io/model_file turns it into a safetensors file and back;
// nobody but models and io sees it (scripts/check-layers).
#pragma once

#include <string>
#include <string_view>

#include "mercer/models/model_head.h"
#include "mercer/models/model_parts.h"

namespace mercer {

class FittedModel;

struct ModelState {
  ModelHead head;
  std::string kernel;  ///< with widths resolved; empty for models without kernel
  ModelParts parts;
};

/// Of the parts all, or where a name is given that alone.
ModelState state_of(const FittedModel& model, std::string_view only = {});

}  // namespace mercer
