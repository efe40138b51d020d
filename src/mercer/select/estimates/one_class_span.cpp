#include "mercer/select/estimates/one_class_span.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/training_rows.h"
#include "mercer/select/estimates/enclosing_ball.h"

namespace mercer {

namespace {

constexpr double of_swap = std::numeric_limits<double>::quiet_NaN();

double rho_of(const FitReport& report) {
  if (const auto rho = report.measured(Fact::rho)) {
    return *rho;
  }
  throw InvalidArgument("one-class span: the model has no rho; the estimate is for oneclass, not for svdd");
}

// Rows strictly inside have no coefficient, those outside have the largest.
void require_optimal_boundary(const SvmDual& dual, const std::vector<double>& weights, double tolerance) {
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

LeaveOneOutCount no_errors(std::size_t rows) {
  return {.errors = 0, .rows = static_cast<Index>(rows), .is_error = std::vector<char>(rows, 0)};
}

void count_row(LeaveOneOutCount& count, std::size_t row) {
  count.is_error[row] = 1;
  ++count.errors;
}

// Rows whose coefficient does not fit under the caps of the other support vectors.
std::vector<char> rows_to_swap(const SvmDual& dual, std::span<const double> weights) {
  double room = 0;
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    total += dual.coefficients[i];
    room += dual.coefficients[i] > 0 ? weights[i] : 0.0;
  }
  std::vector<char> swaps(weights.size(), 0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    swaps[i] = dual.coefficients[i] > 0 && room - weights[i] < total * (1 - 1e-12) ? 1 : 0;
  }
  return swaps;
}

// A machine of one class is one of two whose signs are all the same, but for the meaning of its values; its bound
// α_l S_l max(D/Δρ, 1/D) ≥ 1 (in units in which coefficients are at most the weights) is one with that reach.
std::optional<SpanEstimate> spans_of(const Gram<double>& gram, const SvmDual& dual, std::span<const double> weights,
                                     double allowance, double diameter, const SpanOptions& options, const Run& run) {
  const std::size_t n = weights.size();
  const TwoClassMachine machine{.signs = std::vector<double>(n, 1.0),
                                .bounds = {weights.begin(), weights.end()},
                                .alpha = dual.coefficients,
                                .values = dual.values,
                                .gap = 0};
  return span_estimate(gram, machine, diameter,
                       {.max_free = options.max_free, .reach = std::max(diameter / allowance, 1 / diameter)}, run);
}

// Swap²(l) of the rows that need one, infinite where there is no row to swap with.
std::vector<double> squared_swaps(const Gram<double>& gram, const SvmDual& dual, const std::vector<Index>& rows,
                                  const std::vector<char>& swaps, const Run& run) {
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  Matrix<double> row_of_kernel(1, gram.size());
  std::vector<double> least(rows.size(), std::numeric_limits<double>::infinity());
  for (std::size_t s = 0; s < rows.size(); ++s) {
    const auto l = static_cast<std::size_t>(rows[s]);
    if (swaps[l] == 0) {
      continue;
    }
    const Index list[1] = {rows[s]};
    gram.rows(list, row_of_kernel.view(), run);
    const double alpha = dual.coefficients[l];
    for (std::size_t j = 0; j < diagonal.size(); ++j) {
      if (dual.coefficients[j] > 0) {
        continue;
      }
      const double distance = diagonal[l] + diagonal[j] - 2 * row_of_kernel(0, static_cast<Index>(j));
      least[s] = std::min(least[s], alpha * (dual.values[j] - dual.values[l]) + alpha * alpha * distance / 2);
    }
  }
  return least;
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
  const double diameter = 2 * std::sqrt(enclosing_ball(gram, 1e-3, run).squared_radius);
  const std::vector<char> swaps = rows_to_swap(dual, weights);
  OneClassSpan estimate{.rows = {}, .squared_span = {}, .excess = {}, .rule = no_errors(n), .bound = no_errors(n)};
  for (std::size_t i = 0; i < n; ++i) {
    if (dual.coefficients[i] > 0) {
      estimate.rows.push_back(static_cast<Index>(i));
    }
  }
  const bool any_span = std::ranges::any_of(estimate.rows, [&](Index row) { return swaps[row] == 0; });
  std::optional<SpanEstimate> spans;
  if (any_span) {
    spans = spans_of(gram, dual, weights, allowance, diameter, options, run);
    if (!spans) {
      return std::nullopt;
    }
  }
  const std::vector<double> swap = squared_swaps(gram, dual, estimate.rows, swaps, run);
  const double least_swap = std::min(std::pow(allowance / diameter, 2), diameter * diameter) / 2;
  for (std::size_t s = 0; s < estimate.rows.size(); ++s) {
    const auto row = static_cast<std::size_t>(estimate.rows[s]);
    const bool by_swap = swaps[row] != 0;
    estimate.squared_span.push_back(by_swap ? of_swap : spans->squared_span[s]);
    estimate.excess.push_back(dual.coefficients[row] * estimate.squared_span[s] - dual.values[row] - dual.offset);
    if (by_swap) {
      estimate.rule.reset();
    } else if (estimate.rule && estimate.excess.back() > allowance) {
      count_row(*estimate.rule, row);
    }
    // With no allowance every support vector is outside.
    if (allowance == 0 || (by_swap ? !(swap[s] < least_swap - dual.gap) : spans->bound.is_error[row] != 0)) {
      count_row(estimate.bound, row);
    }
  }
  return estimate;
}

std::optional<OneClassSpan> one_class_span(const OneClassModel& model, const TrainingData& data, double allowance,
                                           const SpanOptions& options, const Run& run) {
  const double rho = rho_of(model.report());
  if (ended_early(model.report().status)) {
    throw InvalidArgument(
        "estimates without refitting are about optimal coefficients, and the solver of this model ended with " +
        std::string(to_string(model.report().status)) +
        " before they were: fit it with more max_steps, or a larger tolerance");
  }
  const std::vector<Index> rows = weighted_rows(data, "oneclass");
  const Samples samples = counted_samples(data.samples, rows);
  const std::vector<double> weights = weights_or_ones(data.weights, rows);
  SvmDual dual;
  dual.coefficients.assign(rows.size(), 0.0);
  dual.offset = -rho;
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
    dual.coefficients[at - rows.begin()] = model.expansion().coefficients()(static_cast<Index>(s), 0);
  }
  const Matrix<double> values = model.decide(samples, run);
  const double boundary = model.expansion().parametric_coefficients()(0, 0);  // may have been moved after the fit
  for (Index i = 0; i < values.rows(); ++i) {
    dual.values.push_back(values(i, 0) - boundary);
  }
  require_optimal_boundary(dual, weights, model.parts().options.tolerance);
  const auto prepared =
      std::make_shared<const PreparedKernel>(model.kernel(), samples, Precision::double_precision, run);
  return one_class_span(KernelGram<double>(prepared), dual, weights, allowance * std::abs(rho), options, run);
}

}  // namespace mercer
