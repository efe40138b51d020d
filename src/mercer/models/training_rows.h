// The rows that a model is fitted to: those of positive weight.
#pragma once

#include <vector>

#include "mercer/models/model.h"

namespace mercer {

/// Ascending. DataError for weights that are not finite, negative, all 0 or of another number than the samples, and
/// where there are no rows.
std::vector<Index> weighted_rows(const TrainingData& data, const char* model);

/// DataError where there is not one target per sample.
void require_targets(const TrainingData& data);

}  // namespace mercer
