#include "mercer/select/estimates/exact_leave_one_out.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/closed_form_leave_one_out.h"

namespace mercer {

namespace {

constexpr std::string_view prefix = "leave-one-out";

std::vector<FitReport::Measure> leave_one_out_measures(const FitReport& report) {
  std::vector<FitReport::Measure> measures;
  std::copy_if(report.measures.begin(), report.measures.end(), std::back_inserter(measures),
               [](const FitReport::Measure& measure) { return measure.name.starts_with(prefix); });
  return measures;
}

// What an iteration that ends with the relative residual ‖r‖ ≤ tolerance ‖y‖ may leave of every value: the values of
// (K + λ)(α̂ − α) = r differ by K(α̂ − α), which is no longer than r. Class codes are of size 1.
double allowed_residual(const FittedModel& model, double relative, const TrainingData& data) {
  if (relative == 0) {
    return 0;
  }
  double squares = static_cast<double>(data.samples.size());
  if (model.task() == Task::regression) {
    const Matrix<double> y = data.targets.values();
    squares = 0;
    for (Index i = 0; i < y.rows() * y.columns(); ++i) {
      squares += y.data()[i] * y.data()[i];
    }
  }
  return relative * std::sqrt(squares);
}

void require_same_predictions(const FittedModel& model, const FittedModel& repeated, const Samples& samples,
                              double residual, const Run& run) {
  const bool decides = !model.decision_names().empty();
  const Matrix<double> was = decides ? model.decide(samples, run) : model.predict(samples, run);
  const Matrix<double> is = decides ? repeated.decide(samples, run) : repeated.predict(samples, run);
  if (was.rows() != is.rows() || was.columns() != is.columns()) {
    throw DataError("this is not what the model was fitted to: it has other targets. Give the training file");
  }
  double difference = 0;
  double size = 0;
  for (Index i = 0; i < was.rows() * was.columns(); ++i) {
    difference = std::max(difference, std::abs(was.data()[i] - is.data()[i]));
    size = std::max(size, std::abs(was.data()[i]));
  }
  // Fits of the same data in other precisions differ by less, and those by iteration by no more than their residual.
  if (!(difference <= 1e-3 * size + residual)) {
    throw DataError("this is not what the model was fitted to: a fit to it predicts other values (by " +
                    shortest(difference) + "). Give the training file, with the same rows, targets and weights");
  }
}

}  // namespace

ExactLeaveOneOut exact_leave_one_out(const FittedModel& model, const TrainingData& data, const Run& run) {
  const auto* const closed = offered<ClosedFormLeaveOneOut>(model);
  if (ended_early(model.report().status) && (closed == nullptr || closed->leave_one_out_needs_convergence())) {
    return {.measures = {},
            .why_none = "the solver ended with " + std::string(to_string(model.report().status)) +
                        " before it converged, and leave-one-out errors in closed form are those of the solution: "
                        "raise max_iterations"};
  }
  const auto settings = closed == nullptr ? std::nullopt : closed->leave_one_out_settings();
  if (!settings) {
    return {.measures = {},
            .why_none =
                "leave-one-out errors in closed form are those of ridge, lssvm and gp with method = exact, a "
                "Gaussian likelihood and one noise variance"};
  }
  const std::unique_ptr<FittedModel> repeated =
      find_model(model.name()).fit(model.kernel(), *settings, data, run.quiet());
  require_same_predictions(model, *repeated, data.samples, allowed_residual(model, closed->relative_residual(), data),
                           run);
  return {.measures = leave_one_out_measures(repeated->report())};
}

}  // namespace mercer
