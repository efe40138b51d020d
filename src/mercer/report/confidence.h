// How sure the answers of a classifier are: what its option `reject` compares, where it has one.
//
//   a rule of costs      the second least expected cost less the least
//   a threshold, or one decision value without probabilities    |f − t|
//   probabilities        the largest less the second
//   several machines     the largest score of the code (votes, values) less the second, or of the decision values
#pragma once

#include <vector>

#include "mercer/report/predictions.h"

namespace mercer {

/// One per row, of predictions with their decision values or probabilities; minus infinity where the model declines to answer.
/// Empty where there are neither.
std::vector<double> answer_confidence(const FittedModel& model, const Predictions& predictions);

}  // namespace mercer
