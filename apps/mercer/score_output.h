// Scores as JSON and as text, of a stored model on new rows and of models fitted by folds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/models/model.h"
#include "mercer/report/sections/model_scores.h"
#include "output.h"

namespace mercer::program {

/// One entry per target: its metrics, the confusion of its classes, and where an error is wanted the error-reject curve and
/// what it takes to reach that. `by_fold`: the values of each fold beside them; may be
/// empty.
Json scores_as_json(const std::vector<OutputScores>& scores, const std::vector<std::vector<OutputScores>>& by_fold = {},
                    const std::optional<double>& punt_error = {});

/// A table of the metrics, what their baselines are, and the confusion matrices.
std::string scores_as_text(const std::vector<OutputScores>& scores, Task task,
                           const std::vector<std::vector<OutputScores>>& by_fold = {},
                           const std::optional<double>& punt_error = {});

}  // namespace mercer::program
