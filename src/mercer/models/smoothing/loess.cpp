#include "mercer/models/smoothing/loess.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/power_of_two.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/numeric_points.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

// Beyond, the n × n operator of the residuals is not formed.
constexpr Index most_rows_with_exact_traces = 2000;
// Beyond, a parabola has too many terms for a neighbourhood.
constexpr Index most_columns_of_parabolas = 4;

// The deviation of the middle 80 % of every column; 1 where these are all the same.
std::vector<double> trimmed_deviations(const Matrix<double>& points) {
  const Index n = points.rows();
  const auto trim = static_cast<Index>(std::ceil(0.1 * static_cast<double>(n)));
  std::vector<double> deviations;
  for (Index j = 0; j < points.columns(); ++j) {
    std::vector<double> column;
    for (Index i = 0; i < n; ++i) {
      column.push_back(points(i, j));
    }
    std::sort(column.begin(), column.end());
    const double unit = power_of_two_near(std::max(std::abs(column.front()), std::abs(column.back())));
    for (double& value : column) {
      value /= unit;
    }
    const Index count = n - 2 * trim;
    double mean = 0;
    double squares = 0;
    for (Index i = trim; i < n - trim; ++i) {
      mean += column[i] / static_cast<double>(count);
    }
    for (Index i = trim; i < n - trim; ++i) {
      squares += (column[i] - mean) * (column[i] - mean);
    }
    const double deviation = count > 1 ? unit * std::sqrt(squares / static_cast<double>(count - 1)) : 0;
    deviations.push_back(deviation > 0 ? deviation : 1);
  }
  return deviations;
}

// A divisor of 0 leaves the column out.
void divide_columns(MatrixView<double> points, const std::vector<double>& divisors) {
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index j = 0; j < points.columns(); ++j) {
      const double divisor = divisors[j];
      points(i, j) = divisor > 0 ? points(i, j) / divisor : 0;
    }
  }
}

bool is_constant(const Matrix<double>& points, Index column) {
  for (Index i = 1; i < points.rows(); ++i) {
    if (points(i, column) != points(0, column)) {
      return false;
    }
  }
  return true;
}

// A constant column says nothing, neither of distances nor of slopes.
std::vector<double> loess_divisors(const LoessOptions& options, const Matrix<double>& points) {
  std::vector<double> divisors(points.columns(), 1.0);
  if (options.normalize && points.columns() > 1) {
    divisors = trimmed_deviations(points);
  }
  if (options.bandwidth) {
    for (double& divisor : divisors) {
      divisor *= *options.bandwidth;
    }
  }
  for (Index j = 0; j < points.columns(); ++j) {
    if (is_constant(points, j)) {
      divisors[j] = 0;
    }
  }
  return divisors;
}

LoessTraces traces_of(const LoessOptions& options, Index n, FitReport& report) {
  const bool exact = options.statistics == LoessStatistics::exact ||
                     (options.statistics == LoessStatistics::automatic && n <= most_rows_with_exact_traces);
  if (!exact) {
    report.notes.push_back("degrees of freedom estimated from random signs, to a few per cent (statistics=exact)");
  }
  return exact ? LoessTraces::exact : LoessTraces::estimated;
}

std::span<const double> column_of(const Matrix<double>& transposed, Index output) {
  return transposed.view().row(output);
}

Matrix<double> transposed_of(ConstMatrixView<double> values) {
  Matrix<double> result(values.columns(), values.rows());
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.columns(); ++j) {
      result(j, i) = values(i, j);
    }
  }
  return result;
}

// What no neighbourhood can tell from noise: fewer points than monomials.
void require_enough(const LoessOptions& options, Index n, Index d) {
  const Index degree = options.local(d).degree;
  const Index monomials = local_monomials(degree, d);
  if (!options.bandwidth && static_cast<double>(n) * options.span < static_cast<double>(monomials)) {
    throw DataError("loess: a neighbourhood of " + std::to_string(options.span) + " of " + std::to_string(n) +
                    " rows has fewer points than a polynomial of degree " + std::to_string(degree) + " has terms (" +
                    std::to_string(monomials) + "): raise span or lower degree");
  }
}

}  // namespace

void LoessOptions::validate() const { check_options<LoessOptions>("loess", loess_option_table(), *this); }

LocalFitOptions LoessOptions::local(Index d) const {
  Index monomial_degree = d <= most_columns_of_parabolas ? 2 : 1;
  switch (degree) {
    case LoessDegree::automatic:
      break;
    case LoessDegree::constant:
      monomial_degree = 0;
      break;
    case LoessDegree::linear:
      monomial_degree = 1;
      break;
    case LoessDegree::quadratic:
      monomial_degree = 2;
      break;
  }
  return {.degree = monomial_degree, .span = bandwidth ? 0 : span, .shape = shape};
}

std::span<const Option<LoessOptions>> loess_option_table() {
  const std::vector<SmoothingShape> shapes(radial_shapes.begin(), radial_shapes.end());
  static const std::vector<Option<LoessOptions>> table = {
      {"span", &LoessOptions::span, "fraction of the rows in a neighbourhood; above 1 all of them and a wider window",
       Constraint::positive, SearchRange{"0.1..1", RangeUnit::absolute, "bandwidth"}},
      {"bandwidth", &LoessOptions::bandwidth,
       "a fixed width of the window in place of span, in units of the (scaled, normalised) columns",
       Constraint::positive},
      {"degree", &LoessOptions::degree, "of the local polynomials (auto: 2 up to four columns, 1 beyond)"},
      {"shape", &LoessOptions::shape, "the window", shapes},
      {"robust", &LoessOptions::robust, "fits with less weight on outliers, after the first (R's symmetric family: 3)",
       Constraint::nonnegative},
      {"normalize", &LoessOptions::normalize,
       "divide several predictors by the standard deviation of their middle 80 %"},
      {"statistics", &LoessOptions::statistics, "degrees of freedom exact or estimated (auto: exact up to 2000 rows)"},
  };
  return table;
}

std::unique_ptr<LoessModel> fit_loess_model(const LoessOptions& options, const TrainingData& data, const Run& run) {
  options.validate();
  require_target_numbers(data, "loess");
  FitReport report;
  PhaseTimer timer(report);
  const std::vector<Index> rows = weighted_rows(data, "loess");
  const Samples samples = counted_samples(data.samples, rows);
  Matrix<double> points = numeric_points(samples, "loess");
  require_enough(options, points.rows(), points.columns());
  std::vector<double> divisors = loess_divisors(options, points);
  divide_columns(points.view(), divisors);
  for (std::size_t j = 0; j < divisors.size(); ++j) {
    if (divisors[j] == 0) {
      report.notes.push_back("column " + std::to_string(j) + " (counted from 0) has one value and is left out");
    }
  }
  std::vector<double> weights = weights_or_ones(data.weights, rows);
  Matrix<double> targets = data.targets.finite_values(rows);
  const LocalFitOptions local = options.local(points.columns());
  LocalRegression regression(std::move(points), local);
  timer.start("statistics");
  const LoessOperator traces = loess_operator(regression, weights, traces_of(options, regression.size(), report), run);
  if (traces.delta_1 == 0) {
    run.warn(
        "loess: the local polynomials have as many parameters as there are rows and go through all of them; nothing is "
        "left to estimate the noise from, and standard errors are 0. Take a lower degree, a larger span or more rows");
  }
  timer.start("fit");
  Matrix<double> robustness(targets.rows(), targets.columns());
  std::vector<double> scales;
  const Matrix<double> by_output = transposed_of(targets.view());
  for (Index o = 0; o < targets.columns(); ++o) {
    const LoessFit fit = fit_loess(regression, column_of(by_output, o), weights, options.robust, traces, run);
    for (Index i = 0; i < targets.rows(); ++i) {
      robustness(i, o) = fit.robustness[i];
    }
    scales.push_back(fit.scale);
  }
  timer.stop();
  report.objective_name = "residual standard error";
  report.objective = scales.front();
  report.measures.push_back({"equivalent number of parameters", traces.parameters(regression.size())});
  report.measures.push_back({"degrees of freedom", traces.degrees_of_freedom()});
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  return std::make_unique<LoessModel>(
      ModelHead{.name = "loess",
                .settings = settings_of(loess_option_table(), options),
                .output_names = std::move(names),
                .report = std::move(report)},
      LoessModel::Parts{options, std::move(divisors), std::move(regression), std::move(targets), std::move(weights),
                        std::move(robustness), std::move(scales), traces});
}

Matrix<double> LoessModel::training_points() const {
  Matrix<double> points = Matrix<double>::copy_of(parts_.regression.points());
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index j = 0; j < points.columns(); ++j) {
      points(i, j) *= parts_.divisors[j];
    }
  }
  return points;
}

Matrix<double> LoessModel::divided(ConstMatrixView<double> queries) const {
  Matrix<double> result = Matrix<double>::copy_of(queries);
  divide_columns(result.view(), parts_.divisors);
  return result;
}

std::vector<double> LoessModel::weights_of(Index output) const {
  std::vector<double> weights = parts_.weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] *= parts_.robustness(static_cast<Index>(i), output);
  }
  return weights;
}

Matrix<double> LoessModel::means(ConstMatrixView<double> queries, const Run& run) const {
  const Matrix<double> places = divided(queries);
  if (parts_.options.robust == 0) {
    return parts_.regression.values(places.view(), parts_.weights, parts_.targets.view(), run);
  }
  Matrix<double> result(queries.rows(), parts_.targets.columns());
  for (Index o = 0; o < result.columns(); ++o) {
    const Matrix<double> column = parts_.regression.values(
        places.view(), weights_of(o), parts_.targets.view().block(0, o, parts_.targets.rows(), 1), run);
    for (Index q = 0; q < result.rows(); ++q) {
      result(q, o) = column(q, 0);
    }
  }
  return result;
}

SmoothedValues LoessModel::smoothed(ConstMatrixView<double> queries, const Run& run) const {
  const Matrix<double> places = divided(queries);
  const Index outputs = parts_.targets.columns();
  SmoothedValues result{means(queries, run), Matrix<double>(queries.rows(), outputs),
                        Matrix<double>(queries.rows(), outputs)};
  const Matrix<double> robustness = transposed_of(parts_.robustness.view());
  std::vector<double> factors;
  for (Index o = 0; o < outputs; ++o) {
    if (o == 0 || parts_.options.robust > 0) {
      factors = loess_variance_factors(parts_.regression, places.view(), parts_.weights, robustness.view().row(o), run);
    }
    const double scale = parts_.scales[o];
    for (Index q = 0; q < queries.rows(); ++q) {
      result.variance_factor(q, o) = factors[q];
      result.residual_variance(q, o) = scale * scale;
    }
  }
  return result;
}

Matrix<double> LoessModel::error_kernels(ConstMatrixView<double> queries, Index output, const Run& run) const {
  Matrix<double> kernels(queries.rows(), parts_.regression.size());
  parts_.regression.equivalent_kernels(divided(queries).view(), {0, queries.rows()}, weights_of(output), kernels.view(),
                                       run);
  for (Index q = 0; q < kernels.rows(); ++q) {
    for (Index i = 0; i < kernels.columns(); ++i) {
      kernels(q, i) /= std::sqrt(parts_.weights[i]);
    }
  }
  return kernels;
}

double LoessModel::degrees_of_freedom(Index /*output*/) const {
  const double degrees = parts_.traces.degrees_of_freedom();
  return degrees > 0 ? degrees : std::numeric_limits<double>::infinity();
}

void LoessModel::Parts::fields(Fields& visit) {
  visit.options(options, loess_option_table());
  Matrix<double> points = Matrix<double>::copy_of(regression.points());
  visit.matrix("points", points, {});
  const Index n = points.rows();
  const Index d = points.columns();
  visit.require(n > 0 && d > 0, "no points");
  visit.column("divisors", divisors, d, Constraint::nonnegative);
  visit.matrix("targets", targets, {n, visit.outputs()});
  visit.column("weights", weights, n, Constraint::positive);
  visit.matrix("robustness", robustness, {n, visit.outputs()}, Constraint::nonnegative);
  visit.column("scales", scales, visit.outputs());
  std::vector<double> numbers = {traces.trace, traces.delta_1, traces.delta_2};
  visit.column("traces", numbers, 3);
  if (visit.loading()) {
    regression = LocalRegression(std::move(points), options.local(d));
    traces = {numbers[0], numbers[1], numbers[2]};
  }
}

const ModelEntry& loess_entry() {
  static const ModelEntry entry =
      make_entry<LoessModel>({.name = "loess",
                              .summary = "local polynomials around every query, with standard errors",
                              .task = Task::regression,
                              .counterpart = "nwc"},
                             loess_option_table(), fit_loess_model);
  return entry;
}

}  // namespace mercer
