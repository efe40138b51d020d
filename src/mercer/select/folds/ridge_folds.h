// Folds of ridge regression over a path of penalties: one eigendecomposition per kernel and fold gives the coefficients
// of every λ (models/ridge/ridge_spectrum.h),
//
//   α_λ = √W Σ_j u_j u_jᵀ√W y / (s_j + λ)
//
// An eigendecomposition costs as much as about 27 Cholesky factorisations (9n³ and n³/3 flops) at a lower rate, so that
// short paths, and whatever is solved in the primal, in float or with a penalty of 0, are left to the general evaluator.
#pragma once

#include <memory>

#include "mercer/select/folds/fold_evaluator.h"

namespace mercer {

/// For "ridge".
std::unique_ptr<FoldEvaluator> ridge_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs);

}  // namespace mercer
