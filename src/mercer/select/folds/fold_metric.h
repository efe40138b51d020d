// FoldMetric: what a search looks at. The value of one fold, and the mean over folds with its standard error.
//
//   classes      accuracy, balanced-accuracy, f1, auc, log-loss, brier
//   regression   rmse, mae, r2, nlpd, pinball
//   novelty      auc, balanced-accuracy, accuracy against two kinds of labels (the larger one is the normal one)
//
// The score of a point is the plain mean over folds, its standard error s/√K with s the standard deviation over folds
// and K the folds of one repetition (repetitions see the same rows again, so they are not counted as new evidence).
// Leave-one-out has folds of one row: rmse is then the root of the mean square and balanced accuracy the mean of recalls,
// over all rows; auc, f1 and r2 have no value there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/select/folds/fold_evaluator.h"
#include "mercer/select/folds/fold_plan.h"
#include "mercer/select/metrics.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

enum class FoldMetricKind { accuracy, balanced_accuracy, f1, auc, log_loss, brier, rmse, mae, r2, nlpd, pinball };

/// Names that fit the task, the default first.
std::vector<std::string> fold_metric_names(Task task);

/// By name, for the task of the model; InvalidArgument with the nearest name, or with those that fit.
FoldMetricKind find_fold_metric(std::string_view name, const ModelEntry& model);

/// A class with a smaller share of the rows than this makes a target unbalanced.
inline constexpr double rare_class = 0.2;

/// accuracy, or balanced-accuracy where the rarest class has less than 20 % of the rows; rmse, or pinball for
/// quantiles; auc for novelty.
std::string default_fold_metric(const ModelEntry& model, const Targets& targets);

class FoldMetric {
 public:
  /// InvalidArgument for a name that there is not, or that does not fit the task, the plan or the number of classes;
  /// DataError where the targets cannot be scored.
  FoldMetric(std::string_view name, const ModelEntry& model, const Targets& targets, const FoldPlan& plan);

  const std::string& name() const { return name_; }
  FoldMetricKind kind() const { return kind_; }
  Better better() const;
  FoldNeeds needs() const;
  /// Classes of the rows, for stratified folds; empty for regression.
  std::span<const std::int32_t> classes() const { return codes_; }

  /// Whether a fold gives a value: auc needs both classes among the validation rows, r2 targets that differ there, and a
  /// classifier two classes to be told apart among the training rows.
  bool is_defined(const Split& fold) const;
  /// The value for the validation rows; NaN where the metric is not defined, the fit failed or has not what it needs.
  double value(const FoldPrediction& prediction, const Split& fold) const;

  /// The value that the best constant answer to the validation rows has (metrics.h), that of pinball at
  /// these levels; NaN where there is none.
  double baseline(const Split& fold, std::span<const double> levels = {}) const;

  /// The mean over folds; folds where the metric is not defined are left out, a NaN elsewhere gives NaN.
  Mean combine(std::span<const double> values, std::span<const Split> folds) const;
  /// The larger the better; a NaN is worst of all.
  double utility(double mean) const;

 private:
  bool has_several_classes(std::span<const Index> rows) const;
  double class_value(const FoldPrediction& prediction, std::span<const Index> rows) const;
  double class_baseline(std::span<const Index> rows) const;
  double regression_baseline(std::span<const Index> rows, std::span<const double> levels) const;
  double regression_value(const FoldPrediction& prediction, std::span<const Index> rows) const;
  Mean combine_rows(std::vector<double> losses, std::span<const std::int32_t> classes) const;

  std::string name_;
  FoldMetricKind kind_;
  Task task_;
  FoldPlan plan_;
  std::vector<std::int32_t> codes_;
  Index levels_ = 0;
  Matrix<double> values_;
};

}  // namespace mercer
