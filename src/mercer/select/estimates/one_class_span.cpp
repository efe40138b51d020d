#include "mercer/select/estimates/one_class_span.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_state.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

double rho_of(const FitReport& report) {
  for (const FitReport::Measure& measure : report.measures) {
    if (measure.name == "rho") {
      return measure.value;
    }
  }
  throw InvalidArgument("one-class span: the model has no rho; the estimate is for oneclass, not for svdd");
}

// Rows strictly inside have no coefficient, those outside have the largest.
void require_optimal(const SvmDual& dual, const std::vector<double>& weights, double tolerance) {
  const double rho = -dual.offset;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double slip = 10 * tolerance + 1e-4 * (std::abs(rho) + std::abs(dual.values[i]));
    const bool outside = dual.values[i] < rho - slip && dual.coefficients[i] < weights[i] * (1 - 1e-9);
    const bool inside = dual.values[i] > rho + slip && dual.coefficients[i] > 0;
    if (outside || inside || dual.coefficients[i] > weights[i] * (1 + 1e-6)) {
      throw DataError("this is not what the model was fitted to: its coefficients are not optimal for row " +
                      std::to_string(i) + ". Give the training file, with the same rows and weights");
    }
  }
}

}  // namespace

std::optional<OneClassSpan> one_class_span(const Gram<double>& gram, const SvmDual& dual,
                                           std::span<const double> weights, double allowance,
                                           const SpanOptions& options, const Run& run) {
  if (!(allowance >= 0)) {
    reject_argument("one-class span: allowance", allowance, "0 or more");
  }
  const std::size_t n = weights.size();
  if (dual.coefficients.size() != n || dual.values.size() != n) {
    throw InvalidArgument("one-class span: " + std::to_string(dual.coefficients.size()) + " coefficients for " +
                          std::to_string(n) + " weights: must be one for each");
  }
  // A machine of one class is one of two whose signs are all the same, but for the meaning of its values. With an
  // infinite diameter no programme decides anything.
  const TwoClassMachine machine{.signs = std::vector<double>(n, 1.0),
                                .bounds = {weights.begin(), weights.end()},
                                .alpha = dual.coefficients,
                                .values = dual.values,
                                .gap = dual.gap};
  const std::optional<SpanEstimate> spans =
      span_estimate(gram, machine, std::numeric_limits<double>::infinity(),
                    {.max_free = options.max_free, .box_spans = BoxSpans::deciding}, run);
  if (!spans) {
    return std::nullopt;
  }
  OneClassSpan estimate{.rows = spans->rows,
                        .squared_span = spans->squared_span,
                        .excess = {},
                        .rule = {.errors = 0, .rows = machine.size(), .is_error = std::vector<char>(n, 0)}};
  for (std::size_t s = 0; s < estimate.rows.size(); ++s) {
    const auto row = static_cast<std::size_t>(estimate.rows[s]);
    estimate.excess.push_back(dual.coefficients[row] * estimate.squared_span[s] - dual.values[row] - dual.offset);
    if (estimate.excess.back() > allowance) {
      estimate.rule.is_error[row] = 1;
      ++estimate.rule.errors;
    }
  }
  return estimate;
}

std::optional<OneClassSpan> one_class_span(const OneClassModel& model, const TrainingData& data, double allowance,
                                           const SpanOptions& options, const Run& run) {
  const double rho = rho_of(model.report());
  OneClassOptions settings;
  apply_settings<OneClassOptions>("oneclass", one_class_option_table(), model.state().settings, settings);
  const std::vector<Index> rows = weighted_rows(data, "oneclass");
  const Samples samples = data.samples.select(rows);
  std::vector<double> weights;
  for (const Index row : rows) {
    weights.push_back(data.weights.empty() ? 1.0 : data.weights[static_cast<std::size_t>(row)]);
  }
  SvmDual dual{.coefficients = std::vector<double>(rows.size(), 0.0), .offset = -rho, .values = {}};
  for (std::size_t s = 0; s < model.support_rows().size(); ++s) {
    if (model.support_rows()[s] == no_training_row) {
      throw InvalidArgument(
          "the model was compressed: its centres are no training rows; inspect the model before that");
    }
    const auto at = std::lower_bound(rows.begin(), rows.end(), model.support_rows()[s]);
    if (at == rows.end() || *at != model.support_rows()[s]) {
      throw DataError("this is not what the model was fitted to: support vector " +
                      std::to_string(model.support_rows()[s]) + " is not there. Give the training file");
    }
    dual.coefficients[static_cast<std::size_t>(at - rows.begin())] =
        model.expansion().coefficients()(static_cast<Index>(s), 0);
  }
  const Matrix<double> values = model.decide(samples, run);
  const double boundary = model.expansion().parametric_coefficients()(0, 0);  // may have been moved after the fit
  for (Index i = 0; i < values.rows(); ++i) {
    dual.values.push_back(values(i, 0) - boundary);
  }
  require_optimal(dual, weights, settings.tolerance);
  const auto prepared =
      std::make_shared<const PreparedKernel>(model.kernel(), samples, Precision::double_precision, run);
  return one_class_span(KernelGram<double>(prepared), dual, weights, allowance * std::abs(rho), options, run);
}

}  // namespace mercer
