#include "mercer/report/sections/baselines.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/split.h"
#include "mercer/kernels/spec.h"
#include "mercer/report/numeric_columns.h"
#include "mercer/report/refit.h"
#include "mercer/select/metrics.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

constexpr Index folds = 5;
constexpr Index most_linear_rows = 100000;

std::unique_ptr<FittedModel> fit_linear(Task task, const TrainingData& data, const Run& run) {
  const ModelEntry& entry = find_model(task == Task::classification ? "linearsvc" : "ridge");
  return entry.fit(parse_kernel("linear()"), {}, data, run);
}

// Class numbers of a model are those of its own training rows: brought to the numbers of `classes`.
void renumber(const FittedModel& linear, const std::vector<std::string>& classes, Matrix<double>& values) {
  const std::vector<std::string>& own = linear.classes();
  for (Index i = 0; i < values.rows(); ++i) {
    const auto at = std::ranges::find(classes, own[static_cast<Index>(values(i, 0))]);
    values(i, 0) = at == classes.end() ? -1.0 : static_cast<double>(at - classes.begin());
  }
}

Matrix<double> linear_values(const ReportInput& input, const TrainingData& training, const Samples& samples,
                             const Run& run) {
  const auto linear = fit_linear(input.model().task(), training, run);
  Matrix<double> values = linear->predict(samples, run);
  if (input.model().task() == Task::classification) {
    renumber(*linear, input.model().classes(), values);
  }
  return values;
}

Matrix<double> cross_validated(const ReportInput& input, const Predictions& predictions, const TrainingData& data,
                               const Run& run) {
  const Folds cut = predictions.classes.empty() ? k_fold(input.rows(), folds, run.seed())
                                                : stratified_k_fold(predictions.classes, folds, run.seed());
  Matrix<double> values(input.rows(), predictions.values.columns());
  for (Index f = 0; f < folds; ++f) {
    const Split split = cut.split(f);
    const Matrix<double> part =
        linear_values(input, select_training(data, split.train), data.samples.select(split.test), run);
    for (std::size_t k = 0; k < split.test.size(); ++k) {
      for (Index o = 0; o < values.columns(); ++o) {
        values(split.test[k], o) = part(static_cast<Index>(k), o);
      }
    }
  }
  return values;
}

std::string name_of(const std::string& base, const ReportInput& input, Index output) {
  const std::vector<std::string> names = output_headings(input.model());
  return names.size() > 1 ? base + ", " + names[output] : base;
}

// The constant that the training targets suggest, scored on the data.
void add_constant(const ReportInput& input, const Predictions& predictions, std::vector<BaselineFact>& facts) {
  const TrainingData* const training = input.training_rows();
  const Targets& known = training != nullptr ? training->targets : *input.targets;
  Predictions constant;
  constant.classes = predictions.classes;
  constant.truth = Matrix<double>::copy_of(predictions.truth.view());
  constant.values = Matrix<double>(predictions.rows(), predictions.values.columns());
  const bool classes = input.model().task() == Task::classification;
  for (Index o = 0; o < constant.values.columns(); ++o) {
    double value = 0;
    if (classes) {
      const std::vector<std::string> names = input.model().classes();
      std::vector<Index> counts(names.size());
      for (const std::int32_t code : known.labels(0, names).codes) {
        counts[std::max(code, 0)] += code >= 0 ? 1 : 0;
      }
      value = static_cast<double>(std::ranges::max_element(counts) - counts.begin());
    } else {
      value = mean_of(column_of(known.values(), o)).value;
    }
    for (Index i = 0; i < constant.values.rows(); ++i) {
      constant.values(i, o) = value;
    }
    facts.push_back({name_of(classes ? "majority" : "mean", input, o), main_metric_name(input.model().task()),
                     main_metric(input.model().task(), constant, o),
                     classes ? "always the most frequent class." : "always the mean of the targets."});
  }
}

bool linear_model_applies(const ReportInput& input) {
  const Index columns = numeric_part(input.samples).columns();
  return columns > 0 && input.rows() <= most_linear_rows;
}

void add_linear(const ReportInput& input, const Predictions& predictions, std::vector<BaselineFact>& facts,
                const Run& run) {
  const bool apart = input.training && input.part == DataPart::test;
  if (!apart && input.rows() < 2 * folds) {
    return;
  }
  Predictions linear;
  linear.classes = predictions.classes;
  linear.truth = Matrix<double>::copy_of(predictions.truth.view());
  linear.values = apart ? linear_values(input, *input.training, input.samples, run)
                        : cross_validated(input, predictions, {input.samples, *input.targets}, run);
  const std::string how = apart ? "fitted to the training rows." : "5-fold cross-validation on these rows.";
  for (Index o = 0; o < predictions.values.columns(); ++o) {
    facts.push_back({name_of("linear model", input, o), main_metric_name(input.model().task()),
                     main_metric(input.model().task(), linear, o),
                     (input.model().task() == Task::classification ? "linear support vector machine, "
                                                                   : "linear ridge regression, ") +
                         how});
  }
}

}  // namespace

std::string main_metric_name(Task task) { return task == Task::classification ? "accuracy" : "rmse"; }

double main_metric(Task task, const Predictions& predictions, Index output) {
  if (task != Task::classification) {
    return root_mean_squared_error(column_of(predictions.truth, output), column_of(predictions.values, output)).value;
  }
  double right = 0;
  double answered = 0;
  for (Index i = 0; i < predictions.rows(); ++i) {
    const double code = predictions.values(i, 0);
    answered += code >= 0 ? 1 : 0;
    right += code >= 0 && code == predictions.classes[i] ? 1 : 0;
  }
  return answered > 0 ? right / answered : unknown_value;
}

std::vector<BaselineFact> baseline_facts(const ReportInput& input, const Predictions& predictions, const Run& run) {
  std::vector<BaselineFact> facts;
  if (!predicts_targets(input.model().task()) || predictions.rows() == 0) {
    return facts;
  }
  add_constant(input, predictions, facts);
  if (linear_model_applies(input)) {
    try {
      add_linear(input, predictions, facts, run);
    } catch (const DataError&) {
      return facts;  // a fold lacks a class, or the targets are no match for a linear model
    }
  }
  return facts;
}

}  // namespace mercer
