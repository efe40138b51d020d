#include "mercer/select/folds/fold_metric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/select/distribution_metrics.h"

namespace mercer {

namespace {

struct MetricEntry {
  FoldMetricKind kind;
  const char* name;
  Better better;
};

constexpr std::array entries = {
    MetricEntry{FoldMetricKind::accuracy, "accuracy", Better::higher},
    MetricEntry{FoldMetricKind::balanced_accuracy, "balanced-accuracy", Better::higher},
    MetricEntry{FoldMetricKind::f1, "f1", Better::higher},
    MetricEntry{FoldMetricKind::auc, "auc", Better::higher},
    MetricEntry{FoldMetricKind::log_loss, "log-loss", Better::lower},
    MetricEntry{FoldMetricKind::brier, "brier", Better::lower},
    MetricEntry{FoldMetricKind::rmse, "rmse", Better::lower},
    MetricEntry{FoldMetricKind::mae, "mae", Better::lower},
    MetricEntry{FoldMetricKind::r2, "r2", Better::higher},
    MetricEntry{FoldMetricKind::nlpd, "nlpd", Better::lower},
    MetricEntry{FoldMetricKind::pinball, "pinball", Better::lower},
};

const MetricEntry& entry_of(FoldMetricKind kind) {
  return *std::find_if(entries.begin(), entries.end(), [&](const MetricEntry& entry) { return entry.kind == kind; });
}

std::vector<FoldMetricKind> kinds_of(Task task) {
  using enum FoldMetricKind;
  switch (task) {
    case Task::classification:
      return {accuracy, balanced_accuracy, f1, auc, log_loss, brier};
    case Task::novelty:
      return {auc, balanced_accuracy, accuracy};
    case Task::features:
    case Task::clustering:
    case Task::density:
      throw InvalidArgument("models of " + std::string(to_string(task)) +
                            " have no score to be tuned by: tune the model that uses their results");
    case Task::regression:
      break;
  }
  return {rmse, mae, r2, nlpd, pinball};
}

double f1_of(double hits, double predicted, double actual) {
  return predicted + actual > 0 ? 2 * hits / (predicted + actual) : 0;
}

struct ClassCounts {
  std::vector<double> hits;
  std::vector<double> predicted;
  std::vector<double> actual;
};

// Rows without an answer are errors.
ClassCounts count(const Matrix<double>& predictions, std::span<const std::int32_t> codes, std::span<const Index> rows,
                  Index levels) {
  ClassCounts counts;
  for (auto* list : {&counts.hits, &counts.predicted, &counts.actual}) {
    list->assign(levels, 0);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto truth = static_cast<std::size_t>(codes[rows[i]]);
    const double answer = predictions(static_cast<Index>(i), 0);
    counts.actual[truth] += 1;
    if (answer >= 0) {
      counts.predicted[static_cast<Index>(answer)] += 1;
      counts.hits[truth] += static_cast<std::size_t>(answer) == truth ? 1 : 0;
    }
  }
  return counts;
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) {
    total += value;
  }
  return total;
}

double mean_recall(const ClassCounts& counts) {
  double recalls = 0;
  double occurring = 0;
  for (std::size_t c = 0; c < counts.hits.size(); ++c) {
    if (counts.actual[c] > 0) {
      recalls += counts.hits[c] / counts.actual[c];
      occurring += 1;
    }
  }
  return recalls / occurring;
}

// Of the second class where there are two, otherwise the mean over the classes that occur, in the truth or among the
// answers: one that is only predicted has an F1 of 0.
double f1_value(const ClassCounts& counts) {
  if (counts.hits.size() == 2) {
    return f1_of(counts.hits[1], counts.predicted[1], counts.actual[1]);
  }
  double total = 0;
  double occurring = 0;
  for (std::size_t c = 0; c < counts.hits.size(); ++c) {
    if (counts.actual[c] + counts.predicted[c] > 0) {
      total += f1_of(counts.hits[c], counts.predicted[c], counts.actual[c]);
      occurring += 1;
    }
  }
  return total / occurring;
}

std::vector<double> column_of(const Matrix<double>& matrix, Index column) {
  std::vector<double> values;
  for (Index i = 0; i < matrix.rows(); ++i) {
    values.push_back(matrix(i, column));
  }
  return values;
}

}  // namespace

std::vector<std::string> fold_metric_names(Task task) {
  std::vector<std::string> names;
  for (const FoldMetricKind kind : kinds_of(task)) {
    names.emplace_back(entry_of(kind).name);
  }
  return names;
}

FoldMetricKind find_fold_metric(std::string_view name, const ModelEntry& model) {
  std::string wanted = lower_case(trim(name));
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  std::replace(wanted.begin(), wanted.end(), ' ', '-');
  const std::vector<FoldMetricKind> fitting = kinds_of(model.task);
  for (const MetricEntry& entry : entries) {
    if (entry.name != wanted) {
      continue;
    }
    if (std::find(fitting.begin(), fitting.end(), entry.kind) == fitting.end()) {
      throw InvalidArgument("metric " + wanted + " is not one for " + std::string(to_string(model.task)) + " (" +
                            model.name + "). Those that are: " + join(fold_metric_names(model.task), ", "));
    }
    return entry.kind;
  }
  const std::vector<std::string> names = fold_metric_names(model.task);
  throw InvalidArgument("there is no metric '" + std::string(name) + "'." + did_you_mean(wanted, names) +
                        " Those for " + std::string(to_string(model.task)) + ": " + join(names, ", "));
}

std::string default_fold_metric(const ModelEntry& model, const Targets& targets) {
  if (model.fits_quantiles) {
    return entry_of(FoldMetricKind::pinball).name;
  }
  if (model.task != Task::classification) {
    return fold_metric_names(model.task).front();
  }
  const ClassLabels labels = targets.labels(0);
  std::map<std::int32_t, Index> sizes;
  for (const std::int32_t code : labels.codes) {
    ++sizes[code];
  }
  const auto n = static_cast<double>(labels.codes.size());
  const bool unbalanced = std::any_of(sizes.begin(), sizes.end(), [&](const auto& entry) {
    return static_cast<double>(entry.second) < rare_class * n;
  });
  return unbalanced ? "balanced-accuracy" : "accuracy";
}

FoldMetric::FoldMetric(std::string_view name, const ModelEntry& model, const Targets& targets, const FoldPlan& plan)
    : kind_(find_fold_metric(name, model)), task_(model.task), plan_(plan) {
  name_ = entry_of(kind_).name;
  if (task_ == Task::regression) {
    values_ = targets.values();
  } else {
    if (targets.outputs() != 1) {
      throw DataError(task_ == Task::novelty
                          ? model.name +
                                " is tuned by how well it tells two kinds of rows apart: name the column that "
                                "says which is which (the larger label is the normal one)"
                          : "one target column is needed");
    }
    const ClassLabels labels = targets.labels(0);
    codes_ = labels.codes;
    levels_ = static_cast<Index>(labels.levels.size());
    const bool two_only = kind_ == FoldMetricKind::auc || task_ == Task::novelty;
    if (levels_ < 2 || (two_only && levels_ != 2)) {
      throw InvalidArgument("metric " + name_ + " needs " + (two_only ? "two classes" : "two classes or more") +
                            ": the target has " + std::to_string(levels_));
    }
  }
  using enum FoldMetricKind;
  if (plan.kind == FoldKind::leave_one_out && (kind_ == auc || kind_ == f1 || kind_ == r2)) {
    throw InvalidArgument("metric " + name_ + " has no value for a single row: take " +
                          (task_ == Task::regression ? "rmse" : "accuracy or balanced-accuracy") +
                          " with leave-one-out, or other folds");
  }
}

Better FoldMetric::better() const { return entry_of(kind_).better; }

FoldNeeds FoldMetric::needs() const {
  using enum FoldMetricKind;
  FoldNeeds needs;
  needs.decisions = kind_ == auc;
  needs.probabilities = kind_ == log_loss || kind_ == brier;
  needs.log_density = kind_ == nlpd;
  needs.quantiles = kind_ == pinball;
  return needs;
}

bool FoldMetric::has_several_classes(std::span<const Index> rows) const {
  return std::any_of(rows.begin(), rows.end(), [&](Index row) { return codes_[row] != codes_[rows.front()]; });
}

bool FoldMetric::is_defined(const Split& fold) const {
  const std::vector<Index>& rows = fold.test;
  if (rows.empty() || (task_ == Task::classification && !has_several_classes(fold.train))) {
    return false;
  }
  if (kind_ == FoldMetricKind::auc) {
    return has_several_classes(rows);
  }
  if (kind_ == FoldMetricKind::r2) {
    for (Index o = 0; o < values_.columns(); ++o) {
      if (std::all_of(rows.begin(), rows.end(),
                      [&](Index row) { return values_(row, o) == values_(rows.front(), o); })) {
        return false;
      }
    }
  }
  return true;
}

double FoldMetric::value(const FoldPrediction& prediction, const Split& fold) const {
  const std::vector<Index>& rows = fold.test;
  if (prediction.predictions.rows() != static_cast<Index>(rows.size()) || !is_defined(fold)) {
    return unknown_value;
  }
  const double value = task_ == Task::regression ? regression_value(prediction, rows) : class_value(prediction, rows);
  // The log of a search has no infinities.
  return std::isfinite(value) ? value : unknown_value;
}

double FoldMetric::baseline(const Split& fold, std::span<const double> levels) const {
  if (!is_defined(fold)) {
    return unknown_value;
  }
  return task_ == Task::regression ? regression_baseline(fold.test, levels) : class_baseline(fold.test);
}

double FoldMetric::class_baseline(std::span<const Index> rows) const {
  using enum FoldMetricKind;
  if (kind_ == auc) {
    return 0.5;
  }
  if (kind_ == log_loss || kind_ == brier) {
    std::vector<std::int32_t> truth;
    for (const Index row : rows) {
      truth.push_back(codes_[row]);
    }
    const auto any = Matrix<double>::filled(static_cast<Index>(rows.size()), levels_, 1 / static_cast<double>(levels_));
    return kind_ == brier ? brier_score(truth, any.view()).baseline : mercer::log_loss(truth, any.view()).baseline;
  }
  double best = 0;
  for (Index c = 0; c < levels_; ++c) {
    FoldPrediction constant;
    constant.predictions =
        Matrix<double>::filled(static_cast<Index>(rows.size()), 1,
                               task_ == Task::novelty ? 2.0 * static_cast<double>(c) - 1 : static_cast<double>(c));
    best = std::max(best, class_value(constant, rows));
  }
  return best;
}

double FoldMetric::regression_baseline(std::span<const Index> rows, std::span<const double> levels) const {
  if (kind_ == FoldMetricKind::nlpd || (kind_ == FoldMetricKind::pinball && levels.empty())) {
    return unknown_value;
  }
  double total = 0;
  for (Index o = 0; o < values_.columns(); ++o) {
    std::vector<double> truth;
    for (const Index row : rows) {
      truth.push_back(values_(row, o));
    }
    if (kind_ == FoldMetricKind::pinball) {
      const auto some =
          Matrix<double>::filled(static_cast<Index>(truth.size()), static_cast<Index>(levels.size()), 0.0);
      total += pinball_loss(truth, some.view(), levels).baseline;
      continue;
    }
    const std::vector<double> any(truth.size(), 0.0);
    total += kind_ == FoldMetricKind::mae  ? mean_absolute_error(truth, any).baseline
             : kind_ == FoldMetricKind::r2 ? 0.0
                                           : root_mean_squared_error(truth, any).baseline;
  }
  return total / static_cast<double>(values_.columns());
}

double FoldMetric::class_value(const FoldPrediction& prediction, std::span<const Index> rows) const {
  if (kind_ == FoldMetricKind::auc) {
    const std::vector<double> scores =
        second_class_scores(prediction.probabilities.view(), prediction.decisions.view());
    if (scores.empty()) {
      return unknown_value;
    }
    std::vector<char> positive;
    for (const Index row : rows) {
      positive.push_back(codes_[row] == 1 ? 1 : 0);
    }
    return area_under_curve(positive, scores).value;
  }
  if (kind_ == FoldMetricKind::log_loss || kind_ == FoldMetricKind::brier) {
    if (prediction.probabilities.rows() == 0) {
      return unknown_value;
    }
    std::vector<std::int32_t> truth;
    for (const Index row : rows) {
      truth.push_back(codes_[row]);
    }
    return kind_ == FoldMetricKind::brier ? brier_score(truth, prediction.probabilities.view()).value
                                          : log_loss(truth, prediction.probabilities.view()).value;
  }
  Matrix<double> answers = Matrix<double>::copy_of(prediction.predictions.view());
  if (task_ == Task::novelty) {
    for (Index i = 0; i < answers.rows(); ++i) {
      answers(i, 0) = answers(i, 0) > 0 ? 1 : 0;
    }
  }
  const ClassCounts counts = count(answers, codes_, rows, levels_);
  if (kind_ == FoldMetricKind::accuracy) {
    return sum(counts.hits) / sum(counts.actual);
  }
  return kind_ == FoldMetricKind::f1 ? f1_value(counts) : mean_recall(counts);
}

double FoldMetric::regression_value(const FoldPrediction& prediction, std::span<const Index> rows) const {
  double total = 0;
  for (Index o = 0; o < values_.columns(); ++o) {
    std::vector<double> truth;
    for (const Index row : rows) {
      truth.push_back(values_(row, o));
    }
    switch (kind_) {
      case FoldMetricKind::mae:
        total += mean_absolute_error(truth, column_of(prediction.predictions, o)).value;
        break;
      case FoldMetricKind::r2:
        total += r_squared(truth, column_of(prediction.predictions, o)).value;
        break;
      case FoldMetricKind::nlpd:
        if (prediction.log_density.rows() == 0) {
          return unknown_value;
        }
        total += negative_log_predictive_density(truth, column_of(prediction.log_density, o)).value;
        break;
      case FoldMetricKind::pinball: {
        const auto levels = static_cast<Index>(prediction.levels.size());
        if (levels == 0) {
          return unknown_value;
        }
        const ConstMatrixView<double> own =
            prediction.quantiles.view().block(0, o * levels, prediction.quantiles.rows(), levels);
        total += pinball_loss(truth, own, prediction.levels).value;
        break;
      }
      default:
        total += root_mean_squared_error(truth, column_of(prediction.predictions, o)).value;
    }
  }
  return total / static_cast<double>(values_.columns());
}

Mean FoldMetric::combine(std::span<const double> values, std::span<const Split> folds) const {
  std::vector<double> defined;
  std::vector<std::int32_t> classes;  // of the first row of every fold that counts
  for (std::size_t f = 0; f < values.size(); ++f) {
    if (is_defined(folds[f])) {
      defined.push_back(values[f]);
      classes.push_back(codes_.empty() ? 0 : codes_[folds[f].test.front()]);
    }
  }
  if (defined.empty()) {
    return {unknown_value, unknown_value};
  }
  if (plan_.kind == FoldKind::leave_one_out) {
    return combine_rows(std::move(defined), classes);
  }
  Mean mean = mean_of(defined);
  mean.standard_error *= std::sqrt(static_cast<double>(plan_.repeats));
  return mean;
}

// Every fold is one row, and its value a loss of that row.
Mean FoldMetric::combine_rows(std::vector<double> losses, std::span<const std::int32_t> classes) const {
  const auto n = static_cast<double>(losses.size());
  if (kind_ == FoldMetricKind::balanced_accuracy) {
    // The mean of recalls is a mean over rows with weights n / (classes · size of the class).
    std::map<std::int32_t, double> sizes;
    for (const std::int32_t code : classes) {
      sizes[code] += 1;
    }
    for (std::size_t i = 0; i < losses.size(); ++i) {
      losses[i] *= n / (static_cast<double>(sizes.size()) * sizes[classes[i]]);
    }
  }
  if (kind_ != FoldMetricKind::rmse) {
    return mean_of(losses);
  }
  for (double& loss : losses) {
    loss *= loss;
  }
  const Mean squares = mean_of(losses);
  const double root = std::sqrt(squares.value);
  return {root, root > 0 ? squares.standard_error / (2 * root) : 0};
}

double FoldMetric::utility(double mean) const {
  if (std::isnan(mean)) {
    return -std::numeric_limits<double>::infinity();
  }
  return better() == Better::higher ? mean : -mean;
}

}  // namespace mercer
