// Scores by folds: every row is predicted by a model that was fitted to the other folds, with columns coded and scaled by those
// rows alone. The plain answer to "how well does this model do here", without a model to keep.
//
// Metrics are those of all predictions together, as of a file of new rows; beside them stands each fold's own value, which tells
// how much they vary. Their intervals are those of these rows: that models of other training rows differ is not in them.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/coding.h"
#include "mercer/data/preparation.h"
#include "mercer/data/scaling.h"
#include "mercer/data/split.h"
#include "mercer/report/sections/model_scores.h"

namespace mercer {

/// What is fitted in every fold.
struct FoldRecipe {
  const ModelEntry& entry;
  std::optional<Kernel> kernel = {};
  std::vector<OptionSetting> settings = {};
  Schema schema = {};
  CodingRule coding = {};
  ScalingRule scaling = {};
  std::shared_ptr<const KnownFunction> prior = {};
  /// Of all classes of the rows. Models with probabilities decide by it; answers of others are only priced.
  DecisionRule decision = {};
  DecisionValues decisions = DecisionValues::for_metrics;
};

/// What models say of rows that they were not fitted to.
struct FoldPredictions {
  PredictorFacts predictor;
  std::vector<Predictions> by_fold;
  std::vector<Index> rows;  ///< their numbers, in the order of the folds
};

/// Throws what a fit throws.
FoldPredictions predict_by_folds(const FoldRecipe& recipe, const TrainingData& raw, std::span<const Split> folds,
                                 const Run& run);

struct FoldScores {
  std::vector<OutputScores> pooled;                ///< of all rows that some fold predicts
  std::vector<std::vector<OutputScores>> by_fold;  ///< empty where a fold is a single row
  Index rows = 0;
  bool has_probabilities = false;  ///< of the models, which a rule of costs and priors needs
};

/// `raw`: rows as the schema describes them, with their targets; rows of weight 0 must have been left out. Throws what a fit
/// throws, and InvalidArgument for a task that nothing says to be right or wrong.
FoldScores score_by_folds(const FoldRecipe& recipe, const TrainingData& raw, std::span<const Split> folds,
                          const Run& run);

}  // namespace mercer
