// Exact leave-one-out errors of models that have them in closed form, for a model that was fitted without asking for
// them: kernel ridge and least-squares classifiers, exact Gaussian processes. One factorisation at the fitted penalty,
// kernel parameters and noise; nothing is chosen or learnt again.
#pragma once

#include <string>
#include <vector>

#include "mercer/models/model.h"

namespace mercer {

struct ExactLeaveOneOut {
  std::vector<FitReport::Measure> measures;  ///< "leave-one-out RMSE", …; empty where there are none
  std::string why_none = {};                 ///< a sentence, where there are none
};

/// data: what the model was fitted to, scaled as then. About three times the work of a fit without search: n³ operations
/// and n² numbers. DataError where the repeated fit does not predict what the model predicts: other data.
ExactLeaveOneOut exact_leave_one_out(const FittedModel& model, const TrainingData& data, const Run& run);

}  // namespace mercer
