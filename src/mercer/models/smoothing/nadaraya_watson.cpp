#include "mercer/models/smoothing/nadaraya_watson.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/numeric_points.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/smoothing/window_bandwidths.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

// The rows that count, as points and weights.
struct WindowRows {
  std::vector<Index> rows;
  Matrix<double> points;
  std::vector<double> weights;
};

WindowRows window_rows(const char* model, const TrainingData& data) {
  WindowRows result;
  result.rows = weighted_rows(data, model);
  result.points = numeric_points(counted_samples(data.samples, result.rows), model);
  result.weights = weights_or_ones(data.weights, result.rows);
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
      average(in_bandwidths(points.view()), weights, shape) {}

Matrix<double> WindowPoints::in_bandwidths(ConstMatrixView<double> queries) const {
  Matrix<double> result = Matrix<double>::copy_of(queries);
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.columns(); ++j) {
      result(i, j) /= bandwidths[j];
    }
  }
  return result;
}

void WindowPoints::fields(Fields& visit) {
  NadarayaWatsonOptions options;
  visit.options(options, nadaraya_watson_option_table());
  visit.matrix("points", points, {});
  visit.require(points.rows() > 0 && points.columns() > 0, "no points");
  visit.column("weights", weights, points.rows(), Constraint::positive);
  visit.column("bandwidths", bandwidths, points.columns(), Constraint::positive);
  if (visit.loading()) {
    average = WindowAverage(in_bandwidths(points.view()), weights, options.shape);
  }
}

std::unique_ptr<NadarayaWatsonModel> fit_nadaraya_watson(const NadarayaWatsonOptions& options,
                                                         const TrainingData& given, const Run& run) {
  options.validate("nw");
  FitReport report;
  PhaseTimer timer(report);
  require_target_numbers(given, "nw");
  const TrainingData data = merged_rows("nw", nullptr, given).data;
  WindowRows rows = window_rows("nw", data);
  Matrix<double> targets = data.targets.finite_values(rows.rows);
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
  return std::make_unique<NadarayaWatsonModel>(
      ModelHead{.name = "nw",
                .settings = settings_of(nadaraya_watson_option_table(), options),
                .output_names = std::move(names),
                .report = std::move(report)},
      NadarayaWatsonModel::Parts{std::move(window), std::move(targets), std::move(residuals)});
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
      result.variance_factor(q, o) = found.squares[q];
    }
  }
  return result;
}

Matrix<double> NadarayaWatsonModel::error_kernels(ConstMatrixView<double> queries, Index /*output*/,
                                                  const Run& run) const {
  Matrix<double> kernels = parts_.window.average.kernels(parts_.window.in_bandwidths(queries).view(), run);
  for (Index q = 0; q < kernels.rows(); ++q) {
    for (Index i = 0; i < kernels.columns(); ++i) {
      kernels(q, i) /= std::sqrt(parts_.window.weights[i]);
    }
  }
  return kernels;
}

void NadarayaWatsonModel::Parts::fields(Fields& visit) {
  window.fields(visit);
  const Index n = window.points.rows();
  visit.matrix("targets", targets, {n, visit.outputs()});
  visit.matrix("squared_residuals", squared_residuals, {n, visit.outputs()}, Constraint::nonnegative);
}

NadarayaWatsonClassifier::NadarayaWatsonClassifier(ModelHead head, Parts parts)
    : FittedModel(std::move(head)),
      parts_(std::move(parts)),
      indicators_(indicators_of(parts_.codes, static_cast<Index>(classes().size()))) {}

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
  return std::make_unique<NadarayaWatsonClassifier>(
      ModelHead{.name = "nwc",
                .settings = settings_of(nadaraya_watson_option_table(), options),
                .output_names = {data.targets.columns()[0].name},
                .classes = labels.levels,
                .report = std::move(report)},
      NadarayaWatsonClassifier::Parts{std::move(window), std::move(codes)});
}

Matrix<double> NadarayaWatsonClassifier::shares(const Samples& samples, const Run& run) const {
  const Matrix<double> queries = numeric_points(samples, parts_.window.points.columns(), name());
  return parts_.window.average.averages(parts_.window.in_bandwidths(queries.view()).view(), indicators_.view(), run)
      .values;
}

Answers NadarayaWatsonClassifier::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.probabilities = shares(samples, run)};
  if (wanted.predictions) {
    answers.predictions = classes_of_shares(answers.probabilities.view());
  }
  return answers;
}

void NadarayaWatsonClassifier::Parts::fields(Fields& visit) {
  visit.require(visit.classes() > 0 && visit.outputs() == 1, "no classes, or several outputs");
  window.fields(visit);
  visit.indices("codes", codes, window.points.rows(), visit.classes());
}

const ModelEntry& nadaraya_watson_entry() {
  static const ModelEntry entry =
      make_entry<NadarayaWatsonModel>({.name = "nw",
                                       .aliases = {"nadaraya_watson"},
                                       .summary = "averages of the targets in a window around the query, with bands",
                                       .task = Task::regression,
                                       .counterpart = "nwc"},
                                      nadaraya_watson_option_table(), fit_nadaraya_watson);
  return entry;
}

const ModelEntry& nadaraya_watson_classifier_entry() {
  static const ModelEntry entry = [] {
    ModelEntry result =
        make_entry<NadarayaWatsonClassifier>({.name = "nwc",
                                              .summary = "shares of the classes in a window around the query",
                                              .task = Task::classification,
                                              .counterpart = "nw"},
                                             nadaraya_watson_option_table(), fit_nadaraya_watson_classifier);
    // One class is enough here, and not for classifiers at large.
    result.load = [](ModelState state, const Run& run) {
      checked_options<NadarayaWatsonOptions>(state.head.name, nadaraya_watson_option_table(), state.head.settings);
      return load_parts<NadarayaWatsonClassifier>(state, {}, run);
    };
    return result;
  }();
  return entry;
}

}  // namespace mercer
