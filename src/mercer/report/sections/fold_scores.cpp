#include "mercer/report/sections/fold_scores.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/data/preparation.h"
#include "mercer/data/weighted_samples.h"
#include "mercer/models/stored_model.h"

namespace mercer {

namespace {

std::vector<double> chosen(const std::vector<double>& values, std::span<const Index> rows) {
  std::vector<double> result;
  for (const Index row : values.empty() ? std::span<const Index>() : rows) {
    result.push_back(values[row]);
  }
  return result;
}

// Folds may lack a class, and number the others differently: codes and columns as in `all`.
void number_classes_as(const std::vector<std::string>& all, const std::vector<std::string>& own,
                       Predictions& predictions) {
  std::vector<Index> numbers;
  for (const std::string& label : own) {
    const auto found = std::ranges::find(all, label);
    if (found == all.end()) {
      throw InvalidArgument("the model has a class '" + label +
                            "' that no row has: targets that say how sure a label is cannot be scored by folds");
    }
    numbers.push_back(found - all.begin());
  }
  for (Index i = 0; i < predictions.rows(); ++i) {
    double& code = predictions.values(i, 0);
    code = code < 0 ? code : static_cast<double>(numbers[static_cast<Index>(code)]);
  }
  if (predictions.probabilities.rows() > 0) {
    auto wide = Matrix<double>::filled(predictions.rows(), static_cast<Index>(all.size()), 0.0);
    for (Index i = 0; i < wide.rows(); ++i) {
      for (std::size_t c = 0; c < numbers.size(); ++c) {
        wide(i, numbers[c]) = predictions.probabilities(i, static_cast<Index>(c));
      }
    }
    predictions.probabilities = std::move(wide);
  }
  // Scores of two classes use them, and those are in every fold that can be fitted.
  if (all.size() != 2) {
    predictions.decisions = {};
  }
}

class FittedFolds {
 public:
  FittedFolds(const FoldRecipe& recipe, const TrainingData& raw) : recipe_(recipe), raw_(raw) {
    if (recipe_.entry.task == Task::classification) {
      // The kind of the labels is that of all rows, whatever those of a fold look like.
      raw_.targets.set_label_kind(raw_.targets.label_kind(0));
      classes_ = raw_.targets.labels(0).levels;
    }
  }

  Predictions predict(const Split& fold, const Run& run) {
    const std::vector<double> weights = chosen(raw_.weights, fold.train);
    const Samples training = raw_.samples.select(fold.train);
    Preparation preparation = fit_preparation(recipe_.schema, recipe_.coding, recipe_.scaling, {training, weights});
    preparation.prior = recipe_.prior;
    const TrainingData prepared{preparation.apply(training, run), targets_of(fold.train), weights,
                                chosen(raw_.noise, fold.train), select_groups(raw_.groups, fold.train)};
    const StoredModel stored =
        fit_stored_model(recipe_.entry, recipe_.kernel, recipe_.settings, prepared, std::move(preparation), run);
    outputs_ = output_headings(*stored.model);
    const Targets truth = targets_of(fold.test);
    Predictions predictions =
        predict_all(*stored.model, stored.preparation.apply(raw_.samples.select(fold.test), run),
                    truth.outputs() > 0 ? &truth : nullptr, coverage_limits(), run, recipe_.decisions);
    if (recipe_.entry.task == Task::classification) {
      number_classes_as(classes_, stored.model->classes(), predictions);
      predictions.classes = truth.labels(0, classes_).codes;
      decide(*stored.model, predictions);
    }
    return predictions;
  }

  PredictorFacts predictor() const {
    return {.task = recipe_.entry.task, .outputs = outputs_, .classes = classes_, .decision = recipe_.decision};
  }
  Targets targets_of(std::span<const Index> rows) const {
    return raw_.targets.size() > 0 ? raw_.targets.select(rows) : Targets();
  }

 private:
  // By the rule, with the shares of this fold; a class that it lacks has no probability here.
  void decide(const FittedModel& model, Predictions& predictions) const {
    const DecisionRule& rule = recipe_.decision;
    if (rule.is_plain() || predictions.probabilities.columns() == 0) {
      return;
    }
    std::vector<double> shares(classes_.size(), 1.0);
    const std::vector<double>& own = model.head().class_shares;
    for (std::size_t c = 0; c < own.size(); ++c) {
      shares[std::ranges::find(classes_, model.classes()[c]) - classes_.begin()] = own[c];
    }
    Matrix<double> costs = expected_costs(predictions.probabilities.view(), rule, shares);
    decide_by_costs(costs.view(), predictions.values, model.reject_margin());
    std::for_each(costs.data(), costs.data() + costs.rows() * costs.columns(), [](double& cost) { cost = -cost; });
    predictions.confidence = leads(costs.view());
  }

  const FoldRecipe& recipe_;
  TrainingData raw_;
  std::vector<std::string> classes_;
  std::vector<std::string> outputs_;
};

}  // namespace

FoldPredictions predict_by_folds(const FoldRecipe& recipe, const TrainingData& raw, std::span<const Split> folds,
                                 const Run& run) {
  FittedFolds fitted(recipe, raw);
  FoldPredictions result;
  double done = 0;
  for (const Split& fold : folds) {
    run.progress("folds", done++, static_cast<double>(folds.size()));
    result.by_fold.push_back(fitted.predict(fold, run.quiet()));
    result.rows.insert(result.rows.end(), fold.test.begin(), fold.test.end());
  }
  result.predictor = fitted.predictor();
  return result;
}

FoldScores score_by_folds(const FoldRecipe& recipe, const TrainingData& raw, std::span<const Split> folds,
                          const Run& run) {
  if (!is_scored(recipe.entry.task)) {
    throw InvalidArgument(recipe.entry.name + " finds " + std::string(to_string(recipe.entry.task)) +
                          ", which nothing says to be right or wrong");
  }
  FoldPredictions predicted = predict_by_folds(recipe, raw, folds, run);
  FoldScores scores;
  scores.rows = static_cast<Index>(predicted.rows.size());
  const bool single_rows = std::ranges::all_of(folds, [](const Split& fold) { return fold.test.size() == 1; });
  for (const Predictions& block : predicted.by_fold) {
    if (!single_rows && block.rows() > 0) {
      scores.by_fold.push_back(model_scores(predicted.predictor, block));
    }
  }
  scores.has_probabilities = std::ranges::any_of(
      predicted.by_fold, [](const Predictions& block) { return block.probabilities.columns() > 0; });
  Predictions all = joined(std::move(predicted.by_fold));
  if (recipe.entry.task == Task::novelty && raw.targets.size() > 0) {
    all.normal.clear();
    label_novelty(raw.targets.select(predicted.rows), all);
  }
  scores.pooled = model_scores(predicted.predictor, all);
  return scores;
}

}  // namespace mercer
