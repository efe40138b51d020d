// FoldEvaluator: fits models on the training rows of folds and predicts the validation rows. A search asks for many
// points on many folds at once; how much work they share is the evaluator's own matter:
//
//   model_folds.h   any model: every fit on its own
//   svm_folds.h     svc, svr: one matrix of squared distances for every width and fold, solutions followed along C
//
// A unit (one path on one fold) is the smallest piece of work. Its result depends on the data, the path, the fold and
// the seed alone: neither on which other units were asked for, nor on the number of threads. So a search that was
// stopped and goes on with the units that are missing ends with the same table.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/data/split.h"
#include "mercer/models/model.h"

namespace mercer {

/// Points that share kernel and settings and differ in one numeric option, whose values ascend. `option` empty: one
/// point, `values` has one entry that means nothing.
struct PointPath {
  /// No search ranges; widths may be symbolic (each fold resolves them on its training rows). Empty for models without.
  std::optional<Kernel> kernel = {};
  std::vector<OptionSetting> settings = {};
  std::string option = {};
  std::vector<double> values = {0};
};

/// What metrics need of one fit, for the validation rows of a fold in their order. Empty where the model has no such
/// values or they were not asked for.
struct FoldPrediction {
  Matrix<double> predictions;       ///< as FittedModel::predict, class numbers being those of all the tuning data
  Matrix<double> decisions;         ///< as FittedModel::decide; of models with probabilities these in their place
  Matrix<double> probabilities;     ///< as FittedModel::probabilities, one column per class of all the tuning data
  Matrix<double> log_density;       ///< as FittedModel::log_density
  std::vector<double> levels = {};  ///< of the quantiles: scored_levels()
  Matrix<double> quantiles = {};    ///< as FittedModel::quantiles, of observations
  SolveStatus status = SolveStatus::converged;
  Index support = 0;      ///< rows in the expansion
  bool given_up = false;  ///< FoldWatch::is_worth_more said no: the predictions have no rows
  double seconds = 0;
};

/// What to fill beside `predictions`.
struct FoldNeeds {
  bool decisions = false;  ///< what second_class_scores() takes: probabilities where the model has them, else decisions
  bool probabilities = false;
  bool log_density = false;
  bool quantiles = false;
};

struct FoldUnit {
  Index path = 0;
  Index fold = 0;
};

/// What looks on. Both may be empty, and are called from several threads at once.
struct FoldWatch {
  /// Called once for every point of a unit, before `done` is: for progress alone.
  std::function<void(FoldUnit)> point_done = {};
  /// Asked of a point that has taken many steps, by what it predicts so far, whether it is worth more. Where it is not, it and
  /// those after it on its path are given up: their predictions have no rows. Steps are counted, so that it is always the
  /// same points that are asked about; evaluators that do not count them never ask.
  std::function<bool(FoldUnit, const FoldPrediction&)> is_worth_more = {};
};

class FoldEvaluator {
 public:
  FoldEvaluator() = default;
  virtual ~FoldEvaluator() = default;
  FoldEvaluator(const FoldEvaluator&) = delete;
  FoldEvaluator& operator=(const FoldEvaluator&) = delete;
  FoldEvaluator(FoldEvaluator&&) = delete;
  FoldEvaluator& operator=(FoldEvaluator&&) = delete;

  /// One prediction per value of the unit's path; called in no particular order and from several threads at once: it
  /// guards what it writes to.
  using Done = std::function<void(FoldUnit unit, std::vector<FoldPrediction> predictions)>;

  /// Evaluates the units, several at a time on run.threads() threads. Throws Stopped after a stop; units handed to
  /// `done` before stay valid. A fit that fails gives a prediction without rows for its point, or an empty vector for
  /// its unit.
  virtual void evaluate(std::span<const PointPath> paths, std::span<const Split> folds, std::span<const FoldUnit> units,
                        const Done& done, const Run& run) const = 0;

  virtual void set_watch(FoldWatch watch) { watch_ = std::move(watch); }

 protected:
  const FoldWatch& watch() const { return watch_; }
  void point_done(FoldUnit unit) const {
    if (watch_.point_done) {
      watch_.point_done(unit);
    }
  }

 private:
  FoldWatch watch_;
};

/// Every fit on its own: for any model. Classes are those of data.targets; a fold that lacks a class is allowed.
std::unique_ptr<FoldEvaluator> model_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs);

/// The evaluator that shares most for this model and these needs; model_fold_evaluator where none
/// does. The samples are scaled already.
std::unique_ptr<FoldEvaluator> make_fold_evaluator(const ModelEntry& model, TrainingData data, FoldNeeds needs);

}  // namespace mercer
