// The functions beside the kernel of a fitted model with their coefficients, as `inspect` shows them.
#pragma once

#include <string>

#include "mercer/models/model.h"
#include "output.h"

namespace mercer::program {

/// By output, the coefficient of every function; null where the model has none beside a constant.
Json functions_as_json(const FittedModel& model);
/// A table, or nothing. Coefficients are of columns as the model sees them: scaled.
std::string functions_as_text(const FittedModel& model);

}  // namespace mercer::program
