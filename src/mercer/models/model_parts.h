// ModelParts: what a fitted model is made of, as named plain data: what a model file holds of it, and what people look at.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "mercer/data/samples.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class FittedModel;

struct ModelParts {
  std::map<std::string, Matrix<double>> numbers;  ///< coefficients, offsets, …
  std::map<std::string, Matrix<Index>> integers;  ///< rows, classes, counts, …
  std::map<std::string, std::string> words;       ///< what enums say
  std::map<std::string, Samples> samples;         ///< centres, …
};

/// A copy of all parts.
ModelParts parts_of(const FittedModel& model);
/// A copy of the part of that name alone; nothing where the model has none of it.
ModelParts part_of(const FittedModel& model, std::string_view name);

}  // namespace mercer
