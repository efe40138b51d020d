#include "mercer/models/smoothing/window_bandwidths.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/median.h"
#include "mercer/base/random.h"
#include "mercer/smoothing/bandwidth_rules.h"
#include "mercer/smoothing/window_average.h"
#include "mercer/solvers/smooth/quasi_newton.h"

namespace mercer {

namespace {

constexpr Index most_cross_validated_rows = 5000;
constexpr std::uint64_t window_subset_stream = 0x6e77737562;
// Starts of the search, as multiples of the normal rule.
constexpr double window_starts[] = {1.0, 0.25, 4.0};

// 1.4826 MAD; the standard deviation where more than half of the values are the same; 0 where all are.
double robust_deviation(const Matrix<double>& values, std::span<const double> weights, Index column) {
  std::vector<double> distances;
  for (Index i = 0; i < values.rows(); ++i) {
    distances.push_back(values(i, column));
  }
  const std::vector<double> copies(weights.begin(), weights.end());
  const double center = weighted_quantile(distances, copies, 0.5);
  for (double& value : distances) {
    value = std::abs(value - center);
  }
  if (const double deviation = 1.4826 * weighted_quantile(distances, copies, 0.5); deviation > 0) {
    return deviation;
  }
  const WeightedSpread spread = weighted_spread(values.view().block(0, column, values.rows(), 1), weights);
  return spread.deviation.front();
}

std::vector<double> robust_deviations(const Matrix<double>& points, std::span<const double> weights) {
  std::vector<double> deviations;
  for (Index j = 0; j < points.columns(); ++j) {
    deviations.push_back(robust_deviation(points, weights, j));
  }
  return deviations;
}

Index varying_columns(const std::vector<double>& deviations) {
  return static_cast<Index>(deviations.size()) - std::ranges::count(deviations, 0.0);
}

// From a Gaussian window to one of another shape that smooths as much, in the columns that vary.
double ratio_of_shape(const Matrix<double>& points, std::span<const double> weights, SmoothingShape shape) {
  const Index d = std::max<Index>(1, varying_columns(robust_deviations(points, weights)));
  return SmoothingKernel(shape, d).canonical_bandwidth() /
         SmoothingKernel(SmoothingShape::gaussian, d).canonical_bandwidth();
}

// The normal rule of bandwidth_rules.h. A column without spread does not count as one, and has a window of any width, 1.
std::vector<double> normal_rule_of(const Matrix<double>& points, std::span<const double> weights) {
  std::vector<double> widths = robust_deviations(points, weights);
  const auto d = static_cast<double>(varying_columns(widths));
  const double factor = std::pow(4 / ((d + 2) * std::accumulate(weights.begin(), weights.end(), 0.0)), 1 / (d + 4));
  for (double& width : widths) {
    width = width > 0 ? factor * width : 1;
  }
  return widths;
}

struct WindowProblem {
  Matrix<double> points;
  std::vector<double> weights;
  Matrix<double> targets;
};

// All rows, or as many as cross-validation can bear, drawn without replacement.
WindowProblem problem_rows(const Matrix<double>& points, std::span<const double> weights, const Matrix<double>& targets,
                           const Run& run) {
  const Index n = points.rows();
  std::vector<Index> rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  const Index count = std::min(n, most_cross_validated_rows);
  RandomStream random(run.seed(), window_subset_stream);
  for (Index i = 0; count < n && i < count; ++i) {
    std::swap(rows[i], rows[i + static_cast<Index>(random.below(static_cast<std::uint64_t>(n - i)))]);
  }
  WindowProblem problem{Matrix<double>(count, points.columns()), {}, Matrix<double>(count, targets.columns())};
  for (Index i = 0; i < count; ++i) {
    const Index row = rows[i];
    std::copy_n(points.view().row_data(row), points.columns(), problem.points.view().row_data(i));
    std::copy_n(targets.view().row_data(row), targets.columns(), problem.targets.view().row_data(i));
    problem.weights.push_back(weights[row]);
  }
  return problem;
}

// The weighted mean square of targets about their means, summed over outputs: the error of no windows at all, and the
// size of all errors. 1 where targets are constant.
double spread_of_targets(const WindowProblem& problem) {
  const WeightedSpread spread = weighted_spread(problem.targets.view(), problem.weights);
  double sum = 0;
  for (const double deviation : spread.deviation) {
    sum += deviation * deviation;
  }
  return sum > 0 && std::isfinite(sum) ? sum : 1;
}

// The least leave-one-out error of Gaussian windows.
QuasiNewtonResult best_gaussian(const WindowProblem& problem, const std::vector<double>& normal, const Run& run) {
  std::vector<double> lower;
  std::vector<double> upper;
  for (const double width : normal) {
    lower.push_back(std::log(width) - std::log(1000.0));
    upper.push_back(std::log(width) + std::log(1000.0));
  }
  const SmoothFunction error = [&](std::span<const double> logs, std::span<double> gradient) {
    std::vector<double> widths;
    for (const double value : logs) {
      widths.push_back(std::exp(value));
    }
    const WindowError found =
        leave_one_out_error(problem.points.view(), problem.weights, problem.targets.view(), widths, run);
    std::copy(found.gradient.begin(), found.gradient.end(), gradient.begin());
    return found.value;
  };
  const double unit = spread_of_targets(problem);
  QuasiNewtonResult best;
  Index evaluations = 0;
  for (const double start : window_starts) {
    std::vector<double> logs;
    for (const double width : normal) {
      logs.push_back(std::log(start * width));
    }
    const QuasiNewtonResult found =
        minimize_in_box(error, logs, lower, upper, {.max_evaluations = 60, .tolerance = 1e-7, .value_unit = unit}, run);
    evaluations += found.evaluations;
    if (best.x.empty() || found.value < best.value) {
      best = found;
    }
  }
  best.evaluations = evaluations;
  return best;
}

double error_of_shape(const WindowProblem& problem, const std::vector<double>& widths, SmoothingShape shape,
                      const Run& run) {
  Matrix<double> scaled = Matrix<double>::copy_of(problem.points.view());
  for (Index i = 0; i < scaled.rows(); ++i) {
    for (Index j = 0; j < scaled.columns(); ++j) {
      scaled(i, j) /= widths[j];
    }
  }
  const WindowAverage::Averages others =
      WindowAverage(scaled, problem.weights, shape).leave_one_out(problem.targets.view(), run);
  double sum = 0;
  double total = 0;
  for (Index i = 0; i < scaled.rows(); ++i) {
    const double weight = problem.weights[i];
    total += weight;
    for (Index o = 0; o < problem.targets.columns(); ++o) {
      const double residual = problem.targets(i, o) - others.values(i, o);
      sum += weight * residual * residual;
    }
  }
  return sum / total;
}

std::vector<double> times(std::vector<double> widths, double factor) {
  for (double& width : widths) {
    width *= factor;
  }
  return widths;
}

// From Gaussian widths to those of another shape: the factor of equal smoothing, then the best one around it.
double shape_factor(const WindowProblem& problem, const std::vector<double>& gaussian, SmoothingShape shape,
                    const Run& run) {
  const double equal = ratio_of_shape(problem.points, problem.weights, shape);
  double best = equal;
  double least = error_of_shape(problem, times(gaussian, equal), shape, run);
  for (const double share : {0.7, 0.85, 1.2, 1.45}) {
    const double error = error_of_shape(problem, times(gaussian, equal * share), shape, run);
    if (error < least) {
      least = error;
      best = equal * share;
    }
  }
  return best;
}

std::vector<double> cross_validated(SmoothingShape shape, const Matrix<double>& points, std::span<const double> weights,
                                    const Matrix<double>& targets, FitReport& report, const Run& run) {
  const WindowProblem problem = problem_rows(points, weights, targets, run);
  const QuasiNewtonResult best = best_gaussian(problem, normal_rule_of(problem.points, problem.weights), run);
  std::vector<double> widths;
  for (const double value : best.x) {
    widths.push_back(std::exp(value));
  }
  if (shape != SmoothingShape::gaussian) {
    widths = times(widths, shape_factor(problem, widths, shape, run));
  }
  report.iterations = best.evaluations;
  report.objective_name = "leave-one-out error";
  report.objective = error_of_shape(problem, widths, shape, run);
  const auto share = static_cast<double>(problem.points.rows()) / static_cast<double>(points.rows());
  if (share < 1) {
    widths = times(widths, std::pow(share, 1 / (static_cast<double>(points.columns()) + 4)));
    report.notes.push_back("bandwidths from " + std::to_string(problem.points.rows()) + " of " +
                           std::to_string(points.rows()) + " rows, narrowed for all of them");
  }
  return widths;
}

}  // namespace

std::vector<double> window_bandwidths(std::string_view model, const WindowWidths& wanted, SmoothingShape shape,
                                      const Matrix<double>& points, std::span<const double> weights,
                                      const Matrix<double>& targets, FitReport& report, const Run& run) {
  const std::optional<WindowRule> rule = wanted.rule();
  if (!rule) {
    const auto d = static_cast<std::size_t>(points.columns());
    std::vector<double> given = wanted.given();
    if (given.size() != 1 && given.size() != d) {
      throw InvalidArgument(std::string(model) + ": " + std::to_string(given.size()) + " bandwidths for " +
                            std::to_string(d) + " columns");
    }
    return given.size() == 1 ? std::vector<double>(d, given.front()) : given;
  }
  if (*rule == WindowRule::cross_validated && points.rows() > 1) {
    return cross_validated(shape, points, weights, targets, report, run);
  }
  std::vector<double> widths = normal_rule_of(points, weights);
  if (*rule == WindowRule::heuristic) {
    const double own = normal_rule_of(targets, weights).front();
    for (double& width : widths) {
      width = std::sqrt(width * own);
    }
  }
  return times(widths, ratio_of_shape(points, weights, shape));
}

}  // namespace mercer
