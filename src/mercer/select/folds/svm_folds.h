// Folds of support vector machines (svc, svr) that share their work: the kernel matrix of all tuning rows is made once
// per kernel (kernel_family.h) and serves every fold; a fold leaves its validation rows out by bounds of 0, so that
// their decision values are there when its machines are solved; from one C to the next the solution is followed
// (box_path.h). Predictions are those of a fit to the solver's tolerance.
//
// Not shared, but handed to the general evaluator: nusvc, nusvr, squared or no slack, uncertain labels, probabilities,
// reject, codes and joint machines, kernels that are indefinite or depend on the training rows as a set, and
// sets of rows whose matrices do not fit into memory_mb.
#pragma once

#include <memory>

#include "mercer/select/folds/fold_evaluator.h"

namespace mercer {

/// For "svc" and "svr". Memory: 4 n² float numbers (double where the tolerance asks for it), and per thread the square
/// of the number of free variables in double.
std::unique_ptr<FoldEvaluator> svm_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs);

}  // namespace mercer
