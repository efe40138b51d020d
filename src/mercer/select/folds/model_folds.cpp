// The evaluator for any model: every point of every path is one fit on its own. Units are shared out among threads, so
// that each fit runs on one.
#include <algorithm>
#include <chrono>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/models/fitted_quantiles.h"
#include "mercer/models/model.h"
#include "mercer/select/folds/fold_parts.h"

namespace mercer {

namespace {

// Labels are texts; those of numbers may be written in two ways ("1", "1.0").
bool same_label(const std::string& a, const std::string& b) {
  const auto number = parse_double(a);
  return a == b || (number && number == parse_double(b));
}

class ModelFolds final : public FoldEvaluator {
 public:
  ModelFolds(const ModelEntry& model, TrainingData data, FoldNeeds needs)
      : model_(model), data_(std::move(data)), needs_(needs) {
    if (model_.task == Task::classification) {
      levels_ = data_.targets.labels(0).levels;
    }
    if (needs_.log_density) {
      truth_ = data_.targets.values();
    }
  }

  void evaluate(std::span<const PointPath> paths, std::span<const Split> folds, std::span<const FoldUnit> units,
                const Done& done, const Run& run) const override {
    parallel_for(run, static_cast<Index>(units.size()), [&](Index u) {
      const FoldUnit unit = units[u];
      done(unit, evaluate_unit(unit, paths[unit.path], folds[unit.fold], run));
    });
  }

 private:
  std::vector<FoldPrediction> evaluate_unit(FoldUnit unit, const PointPath& path, const Split& split,
                                            const Run& run) const {
    const TrainingData training = training_part(data_, split);
    const Samples test = data_.samples.select(split.test);
    std::vector<FoldPrediction> predictions;
    for (const double value : path.values) {
      run.check_stop();
      predictions.push_back(evaluate_point(path.kernel, settings_at(path, value), training, test, split, run));
      point_done(unit);
    }
    return predictions;
  }

  // A point that cannot be fitted on these rows (an infeasible nu, a fold with one class only) has no predictions; it
  // does not end the search.
  FoldPrediction evaluate_point(const std::optional<Kernel>& kernel, std::span<const OptionSetting> settings,
                                const TrainingData& training, const Samples& test, const Split& split,
                                const Run& run) const {
    const auto start = std::chrono::steady_clock::now();
    FoldPrediction prediction;
    try {
      const std::unique_ptr<FittedModel> fitted = model_.fit(kernel, settings, training, run);
      prediction = predict(*fitted, test, split, run);
    } catch (const Stopped&) {
      throw;
    } catch (const IoError&) {
      throw;
    } catch (const Error&) {
      prediction = {};
      prediction.status = SolveStatus::stalled;
    }
    prediction.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return prediction;
  }

  FoldPrediction predict(const FittedModel& fitted, const Samples& test, const Split& split, const Run& run) const {
    FoldPrediction result;
    result.status = fitted.report().status;
    const bool probable = (needs_.probabilities || needs_.decisions) && fitted.has_probabilities();
    const bool decided = needs_.decisions && !probable && !fitted.decision_names().empty();
    Answers answers = fitted.answer(test, {.predictions = true, .decisions = decided, .probabilities = probable}, run);
    result.predictions = std::move(answers.predictions);
    result.decisions = std::move(answers.decisions);
    result.probabilities = std::move(answers.probabilities);
    if (needs_.log_density && fitted.has_distribution()) {
      Matrix<double> truth(static_cast<Index>(split.test.size()), truth_.columns());
      for (Index i = 0; i < truth.rows(); ++i) {
        std::copy_n(&truth_(split.test[i], 0), truth.columns(), &truth(i, 0));
      }
      result.log_density = fitted.log_density(test, truth.view(), run);
    }
    if (needs_.quantiles && fitted.has_distribution()) {
      result.levels = scored_levels(fitted);
      result.quantiles = fitted.quantiles(test, result.levels, PredictionOf::observation, run);
    }
    if (model_.task == Task::classification) {
      use_common_classes(fitted.classes(), result);
    }
    return result;
  }

  // A fold without some class numbers the others differently.
  void use_common_classes(const std::vector<std::string>& classes, FoldPrediction& result) const {
    if (classes == levels_) {
      return;
    }
    std::vector<Index> numbers;
    for (const std::string& label : classes) {
      const auto found = std::find_if(levels_.begin(), levels_.end(),
                                      [&](const std::string& level) { return same_label(level, label); });
      numbers.push_back(found == levels_.end() ? -1 : found - levels_.begin());
    }
    for (Index i = 0; i < result.predictions.rows(); ++i) {
      double& code = result.predictions(i, 0);
      code = code < 0 ? code : static_cast<double>(numbers[static_cast<Index>(code)]);
    }
    if (result.probabilities.rows() > 0) {
      auto all = Matrix<double>::filled(result.probabilities.rows(), static_cast<Index>(levels_.size()), 0.0);
      for (Index i = 0; i < all.rows(); ++i) {
        for (std::size_t c = 0; c < numbers.size(); ++c) {
          if (numbers[c] >= 0) {
            all(i, numbers[c]) = result.probabilities(i, static_cast<Index>(c));
          }
        }
      }
      result.probabilities = std::move(all);
    }
  }

  const ModelEntry& model_;
  TrainingData data_;
  FoldNeeds needs_;
  std::vector<std::string> levels_;
  Matrix<double> truth_;
};

}  // namespace

std::unique_ptr<FoldEvaluator> model_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs) {
  return std::make_unique<ModelFolds>(model, std::move(data), needs);
}

}  // namespace mercer
