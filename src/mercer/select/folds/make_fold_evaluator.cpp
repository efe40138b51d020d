// Which evaluator shares most for a model.
#include "mercer/select/folds/fold_evaluator.h"
#include "mercer/select/folds/ridge_folds.h"
#include "mercer/select/folds/svm_folds.h"

namespace mercer {

// Both decide path by path what they can share and leave the rest to the general evaluator.
std::unique_ptr<FoldEvaluator> make_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs) {
  if (model.name == "svc" || model.name == "svr") {
    return svm_fold_evaluator(model, std::move(data), needs);
  }
  if (model.name == "ridge") {
    return ridge_fold_evaluator(model, std::move(data), needs);
  }
  return model_fold_evaluator(model, std::move(data), needs);
}

}  // namespace mercer
