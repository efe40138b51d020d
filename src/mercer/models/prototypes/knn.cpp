#include "mercer/models/prototypes/knn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/classes/labelled_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/model_state.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/training_gram.h"
#include "mercer/models/training_rows.h"

namespace mercer {

void KnnOptions::validate(std::string_view model) const { check_options<KnnOptions>(model, knn_option_table(), *this); }

std::span<const Option<KnnOptions>> knn_option_table() {
  static const std::array<Option<KnnOptions>, 3> table{{
      {"neighbors", &KnnOptions::neighbors, "how many neighbors answer", Constraint::positive, SearchRange{"1..50"}},
      {"weighting", &KnnOptions::weighting,
       "how much each counts: all the same, or the inverse of its distance (those at distance 0 alone, if any)"},
      {"loo", &KnnOptions::loo, "report the leave-one-out error (one pass over all pairs of rows)"},
  }};
  return table;
}

KnnModel::KnnModel(Parts parts, const Run& run) : parts_(std::move(parts)) {
  const Index n = parts_.samples.size();
  const Index columns = parts_.classes.empty() ? static_cast<Index>(parts_.output_names.size()) : 1;
  if (n == 0 || static_cast<Index>(parts_.weights.size()) != n || parts_.values.rows() != n ||
      parts_.values.columns() != columns) {
    throw InvalidArgument(parts_.name + ": " + std::to_string(n) + " samples with " +
                          std::to_string(parts_.weights.size()) + " weights and targets of " +
                          std::to_string(parts_.values.rows()) + " by " + std::to_string(parts_.values.columns()));
  }
  prepared_ = std::make_shared<const PreparedKernel>(parts_.kernel, parts_.samples, Precision::double_precision, run);
}

std::vector<std::vector<NearRow>> KnnModel::neighbors(const Samples& samples, const Run& run) const {
  return nearest_rows(*prepared_, parts_.weights, samples, static_cast<double>(parts_.options.neighbors), OwnRow::keep,
                      run);
}

namespace {

// What the distances of the neighbors, nearest first, say about how much each counts.
double nearness(const NearRow& row, const NearRow& nearest, const KnnOptions& options) {
  if (options.weighting == NeighborWeighting::uniform) {
    return 1;
  }
  if (nearest.squared_distance == 0) {
    return row.squared_distance == 0 ? 1 : 0;
  }
  return 1 / std::sqrt(row.squared_distance);
}

}  // namespace

// Regression: mean targets. Classification: shares of the votes.
Matrix<double> KnnModel::averages(const std::vector<std::vector<NearRow>>& found, OwnRow own) const {
  const bool classifies = !parts_.classes.empty();
  const Index columns = classifies ? static_cast<Index>(parts_.classes.size()) : parts_.values.columns();
  Matrix<double> result = Matrix<double>::filled(static_cast<Index>(found.size()), columns, 0.0);
  for (Index i = 0; i < result.rows(); ++i) {
    const std::vector<NearRow>& rows = found[static_cast<std::size_t>(i)];
    double total = 0;
    auto left = static_cast<double>(parts_.options.neighbors);
    for (const NearRow& row : rows) {
      const double weight = parts_.weights[static_cast<std::size_t>(row.row)];
      const double share = std::min(left, own == OwnRow::leave_out && row.row == i ? weight - 1 : weight);
      left -= share;
      const double votes = share * nearness(row, rows.front(), parts_.options);
      total += votes;
      for (Index o = 0; o < parts_.values.columns(); ++o) {
        const double value = parts_.values(row.row, o);
        result(i, classifies ? static_cast<Index>(value) : o) += classifies ? votes : votes * value;
      }
    }
    for (Index o = 0; o < columns; ++o) {
      result(i, o) /= total;
    }
  }
  return result;
}

Matrix<double> KnnModel::probabilities(const Samples& samples, const Run& run) const {
  return has_probabilities() ? averages(neighbors(samples, run), OwnRow::keep)
                             : FittedModel::probabilities(samples, run);
}

namespace {

Matrix<double> most_votes(const Matrix<double>& shares) {
  Matrix<double> result(shares.rows(), 1);
  for (Index i = 0; i < shares.rows(); ++i) {
    const std::span<const double> row = shares.view().row(i);
    result(i, 0) = static_cast<double>(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return result;
}

}  // namespace

Matrix<double> KnnModel::predict(const Samples& samples, const Run& run) const {
  Matrix<double> answers = averages(neighbors(samples, run), OwnRow::keep);
  return parts_.classes.empty() ? std::move(answers) : most_votes(answers);
}

void KnnModel::measure_leave_one_out(const Run& run) {
  if (parts_.samples.size() < 2) {
    throw InvalidArgument(parts_.name + ": loo = yes needs two rows at least");
  }
  // The own row comes with what its weight has beyond 1.
  Matrix<double> answers = averages(nearest_rows(*prepared_, parts_.weights, parts_.samples,
                                                 static_cast<double>(parts_.options.neighbors), OwnRow::leave_out, run),
                                    OwnRow::leave_out);
  const bool classifies = !parts_.classes.empty();
  if (classifies) {
    answers = most_votes(answers);
  }
  double total = 0;
  double sum = 0;
  for (Index i = 0; i < answers.rows(); ++i) {
    const double weight = parts_.weights[static_cast<std::size_t>(i)];
    for (Index o = 0; o < answers.columns(); ++o) {
      const double error = answers(i, o) - parts_.values(i, o);
      sum += weight * (classifies ? (error != 0 ? 1.0 : 0.0) : error * error);
      total += weight;
    }
  }
  parts_.report.measures.push_back(classifies ? FitReport::Measure{"leave-one-out error rate", sum / total}
                                              : FitReport::Measure{"leave-one-out RMSE", std::sqrt(sum / total)});
}

std::unique_ptr<KnnModel> KnnModel::fitted(Parts parts, const Run& run) {
  const double total = std::accumulate(parts.weights.begin(), parts.weights.end(), 0.0);
  if (total < static_cast<double>(parts.options.neighbors)) {
    parts.report.notes.push_back(std::to_string(parts.options.neighbors) +
                                 " neighbors were asked for, all rows together are fewer: all of them answer");
  }
  auto model = std::make_unique<KnnModel>(std::move(parts), run);
  if (model->parts_.options.loo) {
    PhaseTimer timer(model->parts_.report);
    timer.start("leave-one-out");
    model->measure_leave_one_out(run);
    timer.stop();
  }
  return model;
}

std::unique_ptr<KnnModel> fit_knn_classifier(const Kernel& kernel, const KnnOptions& options, const TrainingData& data,
                                             const Run& run) {
  options.validate("knnc");
  const LabelledRows labelled = read_labels("knnc", data, LabelReading::classes, {});
  DistanceRows counted = distance_rows("knnc", kernel, data, run);
  Matrix<double> values(counted.samples.size(), 1);
  std::copy(labelled.classes.begin(), labelled.classes.end(), values.data());
  return KnnModel::fitted({.name = "knnc",
                           .requested_kernel = kernel.spec(),
                           .options = options,
                           .kernel = counted.kernel,
                           .samples = counted.samples,
                           .weights = std::move(counted.weights),
                           .values = std::move(values),
                           .output_names = {data.targets.columns().front().name},
                           .classes = labelled.levels,
                           .report = {}},
                          run);
}

std::unique_ptr<KnnModel> fit_knn_regressor(const Kernel& kernel, const KnnOptions& options, const TrainingData& data,
                                            const Run& run) {
  options.validate("knnr");
  require_targets(data);
  DistanceRows counted = distance_rows("knnr", kernel, data, run);
  const Matrix<double> all = data.targets.values();
  Matrix<double> values(counted.samples.size(), all.columns());
  for (Index i = 0; i < values.rows(); ++i) {
    const Index row = counted.rows[static_cast<std::size_t>(i)];
    for (Index o = 0; o < values.columns(); ++o) {
      if (!std::isfinite(all(row, o))) {
        throw DataError("the target of row " + std::to_string(row) + " (counted from 0) is not a finite number");
      }
      values(i, o) = all(row, o);
    }
  }
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  return KnnModel::fitted({.name = "knnr",
                           .requested_kernel = kernel.spec(),
                           .options = options,
                           .kernel = counted.kernel,
                           .samples = counted.samples,
                           .weights = std::move(counted.weights),
                           .values = std::move(values),
                           .output_names = std::move(names),
                           .classes = {},
                           .report = {}},
                          run);
}

ModelState KnnModel::state() const {
  ModelState state;
  state.model = parts_.name;
  state.requested_kernel = parts_.requested_kernel;
  state.kernel = parts_.kernel.spec();
  state.output_names = parts_.output_names;
  state.classes = parts_.classes;
  state.settings = settings_of(knn_option_table(), parts_.options);
  state.report = parts_.report;
  state.arrays.emplace("weights", number_column(parts_.weights));
  state.arrays.emplace("values", Matrix<double>::copy_of(parts_.values.view()));
  state.samples.emplace("samples", parts_.samples);
  return state;
}

std::unique_ptr<KnnModel> KnnModel::from_state(const ModelState& state, const Run& run) {
  KnnOptions options;
  apply_settings<KnnOptions>(state.model, knn_option_table(), state.settings, options);
  options.validate(state.model);
  const bool classifies = state.model == "knnc";
  if (state.output_names.empty() ||
      (classifies ? state.classes.size() < 2 || state.output_names.size() != 1 : !state.classes.empty())) {
    throw DataError("a stored " + state.model + " model with " + std::to_string(state.classes.size()) +
                    " classes and " + std::to_string(state.output_names.size()) + " outputs");
  }
  const Samples& samples = state.sample_set("samples");
  std::vector<double> weights = state.finite_column("weights", samples.size());
  if (std::any_of(weights.begin(), weights.end(), [](double weight) { return !(weight > 0); })) {
    throw DataError("a stored " + state.model + " model with weights that are not positive");
  }
  if (classifies) {
    state.indices("values", samples.size(), static_cast<Index>(state.classes.size()));
  }
  Matrix<double> values = state.finite_array("values", samples.size(), static_cast<Index>(state.output_names.size()));
  return std::make_unique<KnnModel>(Parts{.name = state.model,
                                          .requested_kernel = state.requested_kernel,
                                          .options = options,
                                          .kernel = parse_kernel(state.kernel),
                                          .samples = samples,
                                          .weights = std::move(weights),
                                          .values = std::move(values),
                                          .output_names = state.output_names,
                                          .classes = state.classes,
                                          .report = state.report},
                                    run);
}

const ModelEntry& knn_classifier_entry() {
  static const ModelEntry entry =
      make_entry<KnnModel>({.name = "knnc",
                            .aliases = {"knn"},
                            .summary = "kernel k nearest neighbors: the class of most neighbors in feature space",
                            .task = Task::classification,
                            .default_kernel = "linear()"},
                           knn_option_table(), fit_knn_classifier);
  return entry;
}

const ModelEntry& knn_regressor_entry() {
  static const ModelEntry entry =
      make_entry<KnnModel>({.name = "knnr",
                            .aliases = {},
                            .summary = "kernel k nearest neighbors: the mean target of the neighbors in feature space",
                            .task = Task::regression,
                            .default_kernel = "linear()"},
                           knn_option_table(), fit_knn_regressor);
  return entry;
}

}  // namespace mercer
