#include "mercer/models/ridge/ridge_path.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr int values_per_decade = 5;
constexpr int first_decade = -10;
constexpr int last_decade = 3;
constexpr double tie = 1e-6;  // relative; smaller differences say nothing about the data
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t selection_stream = 0x72696467;

bool can_leave_out_every_row(const RidgeSpectrum& spectrum) {
  for (Index i = 0; i < spectrum.rows(); ++i) {
    if (!spectrum.is_determined(i)) {
      return false;
    }
  }
  return true;
}

RidgePathPoint measure(const RidgeSpectrum& spectrum, const RidgeSpectrum::Point& point, const RidgeLCurve::Point& size,
                       double total_weight, bool loo) {
  const auto n = static_cast<double>(spectrum.rows());
  const auto outputs = static_cast<double>(spectrum.outputs());
  double squares = 0;
  double left_out = 0;
  for (Index i = 0; i < spectrum.rows(); ++i) {
    const std::span<const double> row = point.residuals.row(i);
    const double here = dot(row, row);
    const double complement = point.complements[i];
    squares += here;
    left_out += here > 0 ? here / (complement * complement) : 0.0;
  }
  const double mean_trace = point.trace / n;
  return {.lambda = size.lambda,
          .loo_rmse = loo ? std::sqrt(left_out / (total_weight * outputs)) : unknown,
          .gcv = squares > 0 ? squares / (total_weight * outputs) / (mean_trace * mean_trace) : 0.0,
          .degrees_of_freedom = n - point.trace,
          .residual_squares = size.residual_squares,
          .squared_norm = size.squared_norm,
          .curvature = size.curvature};
}

std::string chosen_by(const SelectionRows& selection, double lambda, const std::string& how) {
  std::string note = "lambda = " + shortest(lambda * selection.factor) + " chosen by " + how;
  if (selection.of > 0) {
    note += " on " + std::to_string(selection.problem.samples.size()) + " of " + std::to_string(selection.of) +
            " rows (lambda = " + shortest(lambda) + " there)";
  }
  return note;
}

std::string of_chosen_rows(const SelectionRows& selection) { return selection.of > 0 ? " (chosen rows)" : ""; }

}  // namespace

std::vector<double> penalty_path(const RidgeSpectrum& spectrum) {
  std::vector<double> lambdas;
  for (int step = first_decade * values_per_decade; step <= last_decade * values_per_decade; ++step) {
    lambdas.push_back(spectrum.scale * std::pow(10.0, static_cast<double>(step) / values_per_decade));
  }
  return lambdas;
}

std::size_t best_of_path(std::span<const double> values) {
  const auto least = *std::min_element(values.begin(), values.end(),
                                       [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
  if (std::isnan(least)) {
    throw NumericalError(
        "the penalty cannot be chosen by leaving one row out: without some row the fit is not unique. Choose it by "
        "select=gcv");
  }
  std::size_t best = 0;
  for (std::size_t l = 0; l < values.size(); ++l) {
    best = values[l] <= least * (1 + tie) ? l : best;
  }
  return best;
}

RidgePath path_of(const RidgeSpectrum& spectrum, std::span<const double> lambdas, const Run& run) {
  const double dimensions = static_cast<double>(spectrum.values.size()) + spectrum.rest_trace;
  if (dimensions < 1) {
    throw DataError("a penalty cannot be chosen from " + std::to_string(spectrum.rows()) +
                    " rows: more rows than parametric functions are needed");
  }
  const bool loo = can_leave_out_every_row(spectrum);
  const double total = std::accumulate(spectrum.weights.begin(), spectrum.weights.end(), 0.0);
  const RidgeLCurve curve(spectrum);
  RidgePath path;
  spectrum.visit(
      lambdas,
      [&](const RidgeSpectrum::Point& point) {
        path.points.push_back(measure(spectrum, point, curve.at(lambdas[point.number]), total, loo));
      },
      run);
  std::vector<double> loo_values;
  std::vector<double> gcv_values;
  for (const RidgePathPoint& point : path.points) {
    loo_values.push_back(point.loo_rmse);
    gcv_values.push_back(point.gcv);
  }
  path.best_gcv = best_of_path(gcv_values);
  path.corner = curve.corner(lambdas);
  path.best_loo = loo ? best_of_path(loo_values) : path.best_gcv;
  return path;
}

SelectionRows selection_rows(const RidgeProblem& problem, RidgeForm form, Index rows, const Run& run) {
  const Index n = problem.samples.size();
  SelectionRows result{.problem = {.model = problem.model,
                                   .kernel = problem.kernel,
                                   .samples = problem.samples,
                                   .targets = Matrix<double>::copy_of(problem.targets.view()),
                                   .weights = problem.weights,
                                   .lambda = problem.lambda,
                                   .part = problem.part,
                                   .loo = LeaveOneOut::skip,
                                   .memory_bytes = problem.memory_bytes}};
  const bool few_columns = primal_factor(problem, form) && default_columns(problem.samples).columns() <= rows;
  if (rows == 0 || rows >= n || few_columns) {
    return result;
  }
  RandomStream random(run.seed(), selection_stream);
  std::vector<Index> chosen = sample_without_replacement(random, n, rows);
  std::sort(chosen.begin(), chosen.end());
  result.of = n;
  result.problem.samples = problem.samples.select(chosen);
  result.problem.targets = Matrix<double>(rows, problem.targets.columns());
  result.problem.weights.clear();
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    std::copy_n(problem.targets.view().row_data(chosen[k]), problem.targets.columns(),
                result.problem.targets.view().row_data(static_cast<Index>(k)));
    result.problem.weights.push_back(problem.weights[chosen[k]]);
  }
  const auto sum = [](const std::vector<double>& w) { return std::accumulate(w.begin(), w.end(), 0.0); };
  result.factor = sum(problem.weights) / sum(result.problem.weights);
  return result;
}

RidgeSpectrum selection_spectrum(const RidgeProblem& problem, RidgeForm form, PhaseTimer& timer, const Run& run) {
  if (const auto factor = primal_factor(problem, form)) {
    return ridge_spectrum_primal(problem, *factor, timer, run);
  }
  return ridge_spectrum_dual(problem, timer, run);
}

void report_corner(const SelectionRows& selection, const RidgePath& path, FitReport& report) {
  const RidgeLCurve::Point& corner = *path.corner;
  report.notes.push_back(chosen_by(
      selection, corner.lambda, "the corner of the L-curve between " + std::to_string(path.points.size()) + " values"));
  const std::string where = of_chosen_rows(selection);
  report.measures.push_back({"L-curve residual squares" + where, corner.residual_squares});
  report.measures.push_back({"L-curve squared norm" + where, corner.squared_norm});
}

void report_choice(const SelectionRows& selection, const RidgePath& path, std::size_t chosen,
                   const std::string& criterion, FitReport& report) {
  const RidgePathPoint& point = path.points[chosen];
  report.notes.push_back(
      chosen_by(selection, point.lambda, criterion + " among " + std::to_string(path.points.size()) + " values"));
  if (path.points.size() > 1 && (chosen == 0 || chosen + 1 == path.points.size())) {
    report.notes.push_back(chosen == 0 ? "the smallest lambda of the path was best: the kernel may be too smooth for "
                                         "these targets, or they have no noise"
                                       : "the largest lambda of the path was best: the kernel finds next to nothing "
                                         "in these inputs");
  }
  const std::string where = of_chosen_rows(selection);
  report.measures.push_back({"path leave-one-out RMSE" + where, point.loo_rmse});
  report.measures.push_back({"path GCV" + where, point.gcv});
  report.measures.push_back({"degrees of freedom" + where, point.degrees_of_freedom});
}

}  // namespace mercer
