#include "mercer/models/smoothing/nadaraya_watson.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/model_state.h"
#include "mercer/models/numeric_points.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/smoothing/window_bandwidths.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

Matrix<double> divided_by(ConstMatrixView<double> points, const std::vector<double>& bandwidths) {
  Matrix<double> result = Matrix<double>::copy_of(points);
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.columns(); ++j) {
      result(i, j) /= bandwidths[static_cast<std::size_t>(j)];
    }
  }
  return result;
}

// The rows that count, as points and weights.
struct WindowRows {
  std::vector<Index> rows;
  Matrix<double> points;
  std::vector<double> weights;
};

WindowRows window_rows(const char* model, const TrainingData& data) {
  WindowRows result;
  result.rows = weighted_rows(data, model);
  result.points = numeric_points(data.samples.select(result.rows), model);
  for (const Index row : result.rows) {
    result.weights.push_back(data.weights.empty() ? 1.0 : data.weights[static_cast<std::size_t>(row)]);
  }
  return result;
}

Matrix<double> indicators_of(const std::vector<Index>& codes, Index classes) {
  Matrix<double> result = Matrix<double>::filled(static_cast<Index>(codes.size()), classes, 0);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    result(static_cast<Index>(i), codes[i]) = 1;
  }
  return result;
}

WindowPoints fitted_window(const char* model, const NadarayaWatsonOptions& options, WindowRows rows,
                           const Matrix<double>& targets, FitReport& report, const Run& run) {
  std::vector<double> bandwidths =
      window_bandwidths(model, options.bandwidth, options.shape, rows.points, rows.weights, targets, report, run);
  for (std::size_t j = 0; j < bandwidths.size() && j < 8; ++j) {
    report.measures.push_back({"bandwidth of column " + std::to_string(j), bandwidths[j]});
  }
  return {std::move(rows.points), std::move(rows.weights), std::move(bandwidths), options.shape};
}

void store_window(const WindowPoints& window, ModelState& state) {
  state.arrays.emplace("points", Matrix<double>::copy_of(window.points.view()));
  state.arrays.emplace("weights", number_column(window.weights));
  state.arrays.emplace("bandwidths", number_column(window.bandwidths));
}

WindowPoints stored_window(const ModelState& state, const NadarayaWatsonOptions& options) {
  const Index n = state.array("points").rows();
  const Index d = state.array("points").columns();
  if (n == 0 || d == 0) {
    throw DataError("a model of windows without points");
  }
  const auto positive = [&](const char* name, Index size) {
    std::vector<double> values = state.finite_column(name, size);
    if (!std::ranges::all_of(values, [](double value) { return value > 0; })) {
      throw DataError(std::string(name) + " must be positive");
    }
    return values;
  };
  return {state.finite_array("points", n, d), positive("weights", n), positive("bandwidths", d), options.shape};
}

NadarayaWatsonOptions stored_window_options(const ModelState& state) {
  NadarayaWatsonOptions options;
  apply_settings<NadarayaWatsonOptions>(state.model, nadaraya_watson_option_table(), state.settings, options);
  options.validate(state.model);
  return options;
}

}  // namespace

void NadarayaWatsonOptions::validate(std::string_view model) const {
  check_options<NadarayaWatsonOptions>(model, nadaraya_watson_option_table(), *this);
}

std::span<const Option<NadarayaWatsonOptions>> nadaraya_watson_option_table() {
  static const std::vector<Option<NadarayaWatsonOptions>> table = {
      {"bandwidth", &NadarayaWatsonOptions::bandwidth,
       "width of the window in the (scaled) columns: cv (least leave-one-out error), normal, heuristic, a number, or "
       "one per column separated by commas"},
      {"shape", &NadarayaWatsonOptions::shape, "the window"},
  };
  return table;
}

WindowPoints::WindowPoints(Matrix<double> given, std::vector<double> given_weights,
                           std::vector<double> given_bandwidths, SmoothingShape shape)
    : points(std::move(given)),
      weights(std::move(given_weights)),
      bandwidths(std::move(given_bandwidths)),
      average(divided_by(points.view(), bandwidths), weights, shape) {}

Matrix<double> WindowPoints::in_bandwidths(ConstMatrixView<double> queries) const {
  return divided_by(queries, bandwidths);
}

std::unique_ptr<NadarayaWatsonModel> fit_nadaraya_watson(const NadarayaWatsonOptions& options,
                                                         const TrainingData& given, const Run& run) {
  options.validate("nw");
  FitReport report;
  PhaseTimer timer(report);
  require_target_numbers(given, "nw");
  const TrainingData data = merged_rows("nw", nullptr, given).data;
  WindowRows rows = window_rows("nw", data);
  Matrix<double> targets = data.targets.select(rows.rows).values();
  timer.start("bandwidth");
  WindowPoints window = fitted_window("nw", options, std::move(rows), targets, report, run);
  timer.start("residuals");
  Matrix<double> residuals = window.average.leave_one_out(targets.view(), run).values;
  for (Index i = 0; i < residuals.rows(); ++i) {
    for (Index o = 0; o < residuals.columns(); ++o) {
      residuals(i, o) = (targets(i, o) - residuals(i, o)) * (targets(i, o) - residuals(i, o));
    }
  }
  timer.stop();
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  return std::make_unique<NadarayaWatsonModel>(NadarayaWatsonModel::Parts{
      options, std::move(names), std::move(window), std::move(targets), std::move(residuals), std::move(report)});
}

Matrix<double> NadarayaWatsonModel::means(ConstMatrixView<double> queries, const Run& run) const {
  return parts_.window.average.averages(parts_.window.in_bandwidths(queries).view(), parts_.targets.view(), run).values;
}

SmoothedValues NadarayaWatsonModel::smoothed(ConstMatrixView<double> queries, const Run& run) const {
  const Index outputs = parts_.targets.columns();
  const Index n = parts_.targets.rows();
  Matrix<double> columns(n, 2 * outputs);
  for (Index i = 0; i < n; ++i) {
    for (Index o = 0; o < outputs; ++o) {
      columns(i, o) = parts_.targets(i, o);
      columns(i, outputs + o) = parts_.squared_residuals(i, o);
    }
  }
  const WindowAverage::Averages found =
      parts_.window.average.averages(parts_.window.in_bandwidths(queries).view(), columns.view(), run);
  SmoothedValues result{Matrix<double>(queries.rows(), outputs), Matrix<double>(queries.rows(), outputs),
                        Matrix<double>(queries.rows(), outputs)};
  for (Index q = 0; q < queries.rows(); ++q) {
    for (Index o = 0; o < outputs; ++o) {
      result.mean(q, o) = found.values(q, o);
      result.residual_variance(q, o) = found.values(q, outputs + o);
      result.variance_factor(q, o) = found.squares[static_cast<std::size_t>(q)];
    }
  }
  return result;
}

Matrix<double> NadarayaWatsonModel::error_kernels(ConstMatrixView<double> queries, Index /*output*/,
                                                  const Run& run) const {
  Matrix<double> kernels = parts_.window.average.kernels(parts_.window.in_bandwidths(queries).view(), run);
  for (Index q = 0; q < kernels.rows(); ++q) {
    for (Index i = 0; i < kernels.columns(); ++i) {
      kernels(q, i) /= std::sqrt(parts_.window.weights[static_cast<std::size_t>(i)]);
    }
  }
  return kernels;
}

ModelState NadarayaWatsonModel::state() const {
  ModelState state;
  state.model = "nw";
  state.output_names = parts_.output_names;
  state.settings = settings_of(nadaraya_watson_option_table(), parts_.options);
  state.report = parts_.report;
  store_window(parts_.window, state);
  state.arrays.emplace("targets", Matrix<double>::copy_of(parts_.targets.view()));
  state.arrays.emplace("squared_residuals", Matrix<double>::copy_of(parts_.squared_residuals.view()));
  return state;
}

std::unique_ptr<NadarayaWatsonModel> NadarayaWatsonModel::from_state(const ModelState& state, const Run& /*run*/) {
  const NadarayaWatsonOptions options = stored_window_options(state);
  WindowPoints window = stored_window(state, options);
  const Index n = window.points.rows();
  const auto outputs = static_cast<Index>(state.output_names.size());
  if (outputs == 0) {
    throw DataError("nw without outputs");
  }
  Matrix<double> residuals = state.finite_array("squared_residuals", n, outputs);
  if (!std::all_of(residuals.data(), residuals.data() + n * outputs, [](double value) { return value >= 0; })) {
    throw DataError("nw: squares of residuals must not be negative");
  }
  return std::make_unique<NadarayaWatsonModel>(Parts{options, state.output_names, std::move(window),
                                                     state.finite_array("targets", n, outputs), std::move(residuals),
                                                     state.report});
}

NadarayaWatsonClassifier::NadarayaWatsonClassifier(Parts parts)
    : parts_(std::move(parts)), indicators_(indicators_of(parts_.codes, static_cast<Index>(parts_.classes.size()))) {}

std::unique_ptr<NadarayaWatsonClassifier> fit_nadaraya_watson_classifier(const NadarayaWatsonOptions& options,
                                                                         const TrainingData& given, const Run& run) {
  options.validate("nwc");
  require_targets(given);
  const TrainingData data = merged_rows("nwc", nullptr, given).data;
  FitReport report;
  PhaseTimer timer(report);
  WindowRows rows = window_rows("nwc", data);
  const ClassLabels labels = data.targets.select(rows.rows).labels();
  std::vector<Index> codes(labels.codes.begin(), labels.codes.end());
  timer.start("bandwidth");
  WindowPoints window = fitted_window("nwc", options, std::move(rows),
                                      indicators_of(codes, static_cast<Index>(labels.levels.size())), report, run);
  timer.stop();
  return std::make_unique<NadarayaWatsonClassifier>(NadarayaWatsonClassifier::Parts{
      options, data.targets.columns()[0].name, labels.levels, std::move(window), std::move(codes), std::move(report)});
}

Matrix<double> NadarayaWatsonClassifier::probabilities(const Samples& samples, const Run& run) const {
  const Matrix<double> queries = numeric_points(samples, parts_.window.points.columns(), name());
  return parts_.window.average.averages(parts_.window.in_bandwidths(queries.view()).view(), indicators_.view(), run)
      .values;
}

Matrix<double> NadarayaWatsonClassifier::predict(const Samples& samples, const Run& run) const {
  const Matrix<double> shares = probabilities(samples, run);
  Matrix<double> result(shares.rows(), 1);
  for (Index i = 0; i < shares.rows(); ++i) {
    const std::span<const double> row = shares.view().row(i);
    result(i, 0) = static_cast<double>(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return result;
}

ModelState NadarayaWatsonClassifier::state() const {
  ModelState state;
  state.model = "nwc";
  state.output_names = output_names();
  state.classes = parts_.classes;
  state.settings = settings_of(nadaraya_watson_option_table(), parts_.options);
  state.report = parts_.report;
  store_window(parts_.window, state);
  state.arrays.emplace("codes", index_column(parts_.codes));
  return state;
}

std::unique_ptr<NadarayaWatsonClassifier> NadarayaWatsonClassifier::from_state(const ModelState& state,
                                                                               const Run& /*run*/) {
  const NadarayaWatsonOptions options = stored_window_options(state);
  WindowPoints window = stored_window(state, options);
  if (state.classes.empty() || state.output_names.size() != 1) {
    throw DataError("nwc without classes, or with several outputs");
  }
  std::vector<Index> codes = state.indices("codes", window.points.rows(), static_cast<Index>(state.classes.size()));
  return std::make_unique<NadarayaWatsonClassifier>(
      Parts{options, state.output_names.front(), state.classes, std::move(window), std::move(codes), state.report});
}

const ModelEntry& nadaraya_watson_entry() {
  static const ModelEntry entry =
      make_entry<NadarayaWatsonModel>({.name = "nw",
                                       .aliases = {"nadaraya_watson"},
                                       .summary = "averages of the targets in a window around the query, with bands",
                                       .task = Task::regression},
                                      nadaraya_watson_option_table(), fit_nadaraya_watson);
  return entry;
}

const ModelEntry& nadaraya_watson_classifier_entry() {
  static const ModelEntry entry = make_entry<NadarayaWatsonClassifier>(
      {.name = "nwc", .summary = "shares of the classes in a window around the query", .task = Task::classification},
      nadaraya_watson_option_table(), fit_nadaraya_watson_classifier);
  return entry;
}

}  // namespace mercer
