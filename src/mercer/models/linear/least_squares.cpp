#include "mercer/models/linear/least_squares.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/parametric_option.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/linear/basis_least_squares.h"

namespace mercer {

namespace {

constexpr Index rows_per_batch = 2048;
constexpr std::uint64_t draw_stream = 0x6c737162;
constexpr Index most_shown = 20;  // coefficients in the report
// Half of the digits of the coefficients are lost, in the worst case.
constexpr double poor_condition = 1e8;

Matrix<double> function_values(const ParametricFunctions& functions, const Samples& samples) {
  Matrix<double> values(samples.size(), functions.count());
  functions.values({0, samples.size()}, values.view());
  return values;
}

// Σ_i w_i (y_i − f_i)² of every output
std::vector<double> residual_squares(const Matrix<double>& targets, const Matrix<double>& fitted,
                                     const std::vector<double>& weights) {
  std::vector<double> squares(targets.columns(), 0.0);
  for (Index i = 0; i < targets.rows(); ++i) {
    for (Index o = 0; o < targets.columns(); ++o) {
      const double error = targets(i, o) - fitted(i, o);
      squares[o] += weights[i] * error * error;
    }
  }
  return squares;
}

void report_basis(const BasisLeastSquares& found, const std::vector<std::string>& names,
                  const std::vector<std::string>& outputs, FitReport& report) {
  const auto count = static_cast<Index>(names.size());
  report.measures.push_back({"condition number", found.condition});
  report.measures.push_back({"degrees of freedom", static_cast<double>(found.rank)});
  if (found.rank < count) {
    report.notes.push_back(
        "the " + std::to_string(count) + " functions have rank " + std::to_string(found.rank) +
        " on these rows (constant or repeated columns, too few rows): of all solutions, which agree on "
        "these rows and not elsewhere, the one of least norm is taken");
  } else if (found.condition > poor_condition) {
    report.notes.push_back("the functions are nearly dependent on these rows (condition number about 10^" +
                           std::to_string(std::lround(std::log10(found.condition))) +
                           "): values are good, single coefficients are not");
  }
  for (Index p = 0; p < std::min(count, most_shown); ++p) {
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const std::string of = outputs.size() > 1 ? " for " + outputs[o] : std::string();
      report.measures.push_back({"coefficient of " + names[p] + of, found.coefficients(p, static_cast<Index>(o))});
    }
  }
}

}  // namespace

void LeastSquaresOptions::validate() const {
  check_options<LeastSquaresOptions>("leastsquares", least_squares_option_table(), *this);
  if (parametric.is_none()) {
    throw InvalidArgument(
        "leastsquares: parametric = none leaves no function to fit: give constant, linear, quadratic, "
        "periodic(period=P), any on some columns, or a sum");
  }
}

std::span<const Option<LeastSquaresOptions>> least_squares_option_table() {
  static const std::array<Option<LeastSquaresOptions>, 1> table{{
      {"parametric", &LeastSquaresOptions::parametric,
       "the functions: constant, linear, quadratic, periodic(period=P), any on some columns (linear[age, dose]), or a "
       "sum"},
  }};
  return table;
}

std::unique_ptr<LeastSquaresModel> fit_least_squares(const LeastSquaresOptions& options, const TrainingData& data,
                                                     const Run& run) {
  options.validate();
  require_target_numbers(data, "leastsquares");
  FitReport report;
  PhaseTimer timer(report);
  const std::vector<Index> rows = weighted_rows(data, "leastsquares");
  note_rows_left_out(data.samples.size() - static_cast<Index>(rows.size()), report);
  const Samples samples = counted_samples(data.samples, rows);
  const std::vector<double> weights = weights_or_ones(data.weights, rows);
  const Matrix<double> targets = data.targets.finite_values(rows);
  const ParametricFunctions functions(options.parametric, samples);
  timer.start("solve");
  const Matrix<double> values = function_values(functions, samples);
  BasisLeastSquares found = least_squares_in_basis(values.view(), targets.view(), weights);
  timer.stop();
  auto fitted = Matrix<double>::filled(targets.rows(), targets.columns(), 0.0);
  parallel_gemm<double>(1, values.view(), Transpose::no, found.coefficients.view(), Transpose::no, 0, fitted.view(),
                        run);
  std::vector<double> variances = residual_squares(targets, fitted, weights);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  report.objective_name = "training RMSE";
  report.objective = std::sqrt(std::accumulate(variances.begin(), variances.end(), 0.0) / total /
                               static_cast<double>(targets.columns()));
  const double degrees = std::max(0.0, total - static_cast<double>(found.rank));
  for (double& variance : variances) {
    variance = degrees > 0 ? variance / degrees : 0;
  }
  if (degrees <= 0) {
    run.warn(
        "leastsquares: there are as many independent functions as rows (by their weights), so that "
        "nothing is left to estimate the noise from, and standard errors are 0. Take fewer functions or more rows");
  }
  std::vector<std::string> outputs;
  for (const TargetColumn& column : data.targets.columns()) {
    outputs.push_back(column.name);
  }
  report_basis(found, functions.names(), outputs, report);
  return std::make_unique<LeastSquaresModel>(ModelHead{.name = "leastsquares",
                                                       .settings = settings_of(least_squares_option_table(), options),
                                                       .output_names = std::move(outputs),
                                                       .report = std::move(report)},
                                             LeastSquaresModel::Parts{.options = options,
                                                                      .coefficients = std::move(found.coefficients),
                                                                      .spread = std::move(found.spread),
                                                                      .variances = std::move(variances),
                                                                      .degrees_of_freedom = degrees});
}

ParametricFunctions LeastSquaresModel::functions_on(const Samples& samples) const {
  ParametricFunctions functions(parts_.options.parametric, samples);
  if (functions.count() != parts_.coefficients.rows()) {
    throw DataError("leastsquares: these samples have " + std::to_string(functions.count()) +
                    " functions, the model was fitted with " + std::to_string(parts_.coefficients.rows()) +
                    ": the numeric columns must be those of the fit");
  }
  return functions;
}

Answers LeastSquaresModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  auto values = Matrix<double>::filled(samples.size(), parts_.coefficients.columns(), 0.0);
  functions_on(samples).add(parts_.coefficients.view(), values.view(), run);
  return {.predictions = std::move(values)};
}

std::unique_ptr<const PredictiveDistribution> LeastSquaresModel::distribution(const Samples& samples,
                                                                              const Run& run) const {
  const ParametricFunctions functions = functions_on(samples);
  const Index outputs = parts_.coefficients.columns();
  StudentPredictions::Parts parts{.mean = Matrix<double>::filled(samples.size(), outputs, 0.0),
                                  .function_variance = Matrix<double>(samples.size(), outputs),
                                  .observation_variance = Matrix<double>(samples.size(), outputs)};
  functions.add(parts_.coefficients.view(), parts.mean.view(), run);
  for (Index first = 0; first < samples.size(); first += rows_per_batch) {
    run.check_stop();
    const Index count = std::min(rows_per_batch, samples.size() - first);
    Matrix<double> values(count, functions.count());
    functions.values({first, first + count}, values.view());
    Matrix<double> spread(count, parts_.spread.columns());
    parallel_gemm<double>(1, values.view(), Transpose::no, parts_.spread.view(), Transpose::no, 0, spread.view(), run);
    for (Index i = 0; i < count; ++i) {
      const std::span<const double> row = std::as_const(spread).view().row(i);
      for (Index o = 0; o < outputs; ++o) {
        const double variance = parts_.variances[o];
        parts.function_variance(first + i, o) = variance * dot(row, row);
        parts.observation_variance(first + i, o) = variance * (1 + dot(row, row));
      }
    }
  }
  const double degrees = parts_.degrees_of_freedom;
  parts.degrees.assign(outputs, degrees > 0 ? degrees : std::numeric_limits<double>::infinity());
  return std::make_unique<StudentPredictions>(std::move(parts));
}

Matrix<double> LeastSquaresModel::draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const {
  const ParametricFunctions functions = functions_on(samples);
  const Index k = functions.count();
  const Index rank = parts_.spread.columns();
  const Index outputs = parts_.coefficients.columns();
  RandomStream random(run.seed(), draw_stream);
  Matrix<double> result(samples.size(), outputs * count);
  Matrix<double> own(samples.size(), count);
  for (Index o = 0; o < outputs; ++o) {
    const double deviation = std::sqrt(parts_.variances[o]);
    Matrix<double> normal(rank, count);
    fill_normal(random, {normal.data(), static_cast<std::size_t>(rank * count)});
    Matrix<double> beta(k, count);
    for (Index p = 0; p < k; ++p) {
      for (Index c = 0; c < count; ++c) {
        beta(p, c) = parts_.coefficients(p, o);
      }
    }
    gemm(deviation, parts_.spread.view(), Transpose::no, std::as_const(normal).view(), Transpose::no, 1.0, beta.view());
    fill_normal(random, {own.data(), static_cast<std::size_t>(own.rows() * count)});
    auto values = Matrix<double>::filled(samples.size(), count, 0.0);
    functions.add(beta.view(), values.view(), run);
    for (Index i = 0; i < samples.size(); ++i) {
      for (Index c = 0; c < count; ++c) {
        result(i, o * count + c) = values(i, c) + (of == PredictionOf::observation ? deviation * own(i, c) : 0);
      }
    }
  }
  return result;
}

void LeastSquaresModel::Parts::fields(Fields& visit) {
  visit.options(options, least_squares_option_table());
  visit.matrix("coefficients", coefficients, {any_count, visit.outputs()});
  visit.matrix("spread", spread, {coefficients.rows(), any_count});
  visit.column("variances", variances, visit.outputs(), Constraint::nonnegative);
  visit.number("degrees_of_freedom", degrees_of_freedom, Constraint::nonnegative);
}

const ModelEntry& least_squares_entry() {
  static const ModelEntry entry = make_entry<LeastSquaresModel>(
      {.name = "leastsquares",
       .summary = "least squares in functions that are given: polynomials, waves, named columns; no kernel",
       .task = Task::regression,
       .counterpart = "linearsvc"},
      least_squares_option_table(), fit_least_squares);
  return entry;
}

}  // namespace mercer
