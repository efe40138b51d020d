// An evaluator that fits the scaling of the columns on the training rows of every fold: nothing of the validation rows
// is known to the fit, at the price that folds share no kernel values.
#pragma once

#include "mercer/data/scaling.h"
#include "mercer/select/folds/fold_evaluator.h"

namespace mercer {

/// The samples of `data` are not scaled.
std::unique_ptr<FoldEvaluator> scaled_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs,
                                                     ScalingRule rule);

}  // namespace mercer
