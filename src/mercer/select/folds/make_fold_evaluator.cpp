// Which evaluator shares most for a model.
#include "mercer/select/folds/fold_evaluator.h"
#include "mercer/select/folds/ridge_folds.h"
#include "mercer/select/folds/svm_folds.h"

namespace mercer {

// Both decide path by path what they can share and leave the rest to the general evaluator.
std::unique_ptr<FoldEvaluator> make_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs) {
  if (data.samples.offsets() != nullptr) {
    return model_fold_evaluator(model, std::move(data), needs);  // what is shared knows nothing of prior functions
  }
  switch (model.folds_share) {
    case FoldSharing::support_vectors:
      return svm_fold_evaluator(model, std::move(data), needs);
    case FoldSharing::ridge:
      return ridge_fold_evaluator(model, std::move(data), needs);
    case FoldSharing::nothing:
      break;
  }
  return model_fold_evaluator(model, std::move(data), needs);
}

}  // namespace mercer
