#include "mercer/solvers/svm/svm_dual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/solvers/svm/machine_box.h"

namespace mercer {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding_of_sums = 1e-12;

BoxQp from_zero(MachineBox box) {
  BoxQp qp;
  qp.start.assign(box.linear.size(), 0.0);
  qp.linear = std::move(box.linear);
  qp.lower = std::move(box.lower);
  qp.upper = std::move(box.upper);
  return qp;
}

// Without the linear term.
BoxQp signed_box(std::span<const double> signs, std::span<const double> bounds) {
  BoxQp qp = from_zero(classifier_box(signs, bounds));
  std::fill(qp.linear.begin(), qp.linear.end(), 0.0);
  return qp;
}

// Fills the start of a group up to the sum `total`, first rows first, each to its bound.
template <class InGroup>
void fill_start(BoxQp& qp, double total, InGroup in_group) {
  double left = total;
  for (std::size_t t = 0; t < qp.start.size() && left > 0; ++t) {
    if (!in_group(t)) {
      continue;
    }
    const double room = std::max(qp.upper[t], -qp.lower[t]);
    // What rounding leaves of the sum, or of the room, is nothing: a coefficient of 1e-15 would count as free.
    const double amount = left > room * (1 - rounding_of_sums) ? room : left;
    qp.start[t] = qp.upper[t] > 0 ? amount : -amount;
    left -= amount;
    left = left > rounding_of_sums * total ? left : 0.0;
  }
}

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// The deviation of the targets of the rows that count: what a gap in their units is small against.
double deviation(std::span<const double> targets, std::span<const double> bounds) {
  double total = 0;
  double mean = 0;
  double squares = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (bounds[i] > 0) {
      total += bounds[i];
      const double excess = targets[i] - mean;
      mean += bounds[i] / total * excess;
      squares += bounds[i] * excess * (targets[i] - mean);
    }
  }
  return total > 0 ? std::sqrt(squares / total) : 0.0;
}

// ‖Φ(x) − c‖² averaged over the distribution β/Σβ whose mean c is: Σβ_iK_ii/Σβ − βᵀKβ/(Σβ)². Infinite where it is
// negative beyond rounding: an indefinite kernel has no such scale.
double variance_of(const BoxQpPoint& point, std::span<const double> diagonal) {
  constexpr double rounding = 1e-9;
  double sum = 0;
  double of_diagonal = 0;
  double of_values = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    sum += point.coefficients[i];
    of_diagonal += point.coefficients[i] * diagonal[i];
    of_values += point.coefficients[i] * point.values[i];
  }
  if (!(sum > 0)) {
    return 0;
  }
  const double variance = of_diagonal / sum - of_values / (sum * sum);
  const double size = std::abs(of_diagonal) / sum + std::abs(of_values) / (sum * sum);
  return variance < -rounding * size ? infinity : std::max(0.0, variance);
}

double squared_norm(const BoxQpPoint& point) {
  double sum = 0;
  for (std::size_t i = 0; i < point.values.size(); ++i) {
    sum += point.coefficients[i] * point.values[i];
  }
  return sum;
}

double half_difference(const BoxQpPoint& point) { return (point.level[0] - point.level[1]) / 2; }

template <class T>
std::vector<double> diagonal_of(const Gram<T>& gram) {
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  return diagonal;
}

SvmDual from_solution(BoxQpResult&& solution, const BoxQp& qp, std::size_t rows) {
  SvmDual dual;
  dual.coefficients.assign(solution.coefficients.begin(), solution.coefficients.begin() + static_cast<Index>(rows));
  for (std::size_t t = rows; t < solution.coefficients.size(); ++t) {
    dual.coefficients[t - rows] += solution.coefficients[t];
  }
  for (std::size_t t = 0; t < solution.coefficients.size(); ++t) {
    const double beta = solution.coefficients[t];
    dual.bounded += beta != 0 && (beta == qp.lower[t] || beta == qp.upper[t]) ? 1 : 0;
  }
  dual.values = std::move(solution.values);
  dual.objective = solution.objective;
  dual.gap = solution.gap;
  dual.unit = solution.unit;
  dual.accuracy = solution.accuracy;
  dual.steps = solution.steps;
  dual.rounds = solution.rounds;
  dual.status = solution.status;
  dual.variables = std::move(solution.coefficients);
  return dual;
}

template <class T>
void require_rows(const Gram<T>& gram, std::span<const double> values, const char* what) {
  if (static_cast<Index>(values.size()) != gram.size()) {
    throw InvalidArgument(std::to_string(values.size()) + " " + what + " for " + std::to_string(gram.size()) +
                          " samples");
  }
}

void require_both_signs(std::span<const double> signs) {
  const bool positive = std::any_of(signs.begin(), signs.end(), [](double s) { return s > 0; });
  const bool negative = std::any_of(signs.begin(), signs.end(), [](double s) { return s < 0; });
  if (!positive || !negative) {
    throw InvalidArgument("a classifier needs samples of two classes, these are all of one");
  }
}

// Σβ = 0: the heavier side is scaled down to the other. A start whose rows were partly taken away (a fold) is feasible
// again by it.
void balance(std::vector<double>& start) {
  double positive = 0;
  double negative = 0;
  for (const double beta : start) {
    (beta > 0 ? positive : negative) += beta;
  }
  // Within rounding it is left alone: scaling would move every coefficient off its bound.
  if (std::abs(positive + negative) <= 1e-12 * std::max(positive, -negative)) {
    return;
  }
  for (double& beta : start) {
    if (beta > 0 && positive > -negative) {
      beta *= -negative / positive;
    } else if (beta < 0 && -negative > positive) {
      beta *= positive / -negative;
    }
  }
}

// A start per variable that has the sums of its groups.
void go_on_from(BoxQp& qp, std::span<const double> variables) {
  for (std::size_t t = 0; t < variables.size(); ++t) {
    qp.start[t] = std::clamp(variables[t], qp.lower[t], qp.upper[t]);
  }
}

// What lies outside the box (bounds may have become smaller) is pulled back.
void use_start(BoxQp& qp, std::span<const double> start) {
  const std::size_t rows = start.size();
  for (std::size_t i = 0; i < rows; ++i) {
    if (qp.start.size() == rows) {
      qp.start[i] = std::clamp(start[i], qp.lower[i], qp.upper[i]);
    } else {
      qp.start[i] = std::clamp(start[i], 0.0, qp.upper[i]);
      qp.start[rows + i] = std::clamp(start[i], qp.lower[rows + i], 0.0);
    }
  }
}

// min ½βᵀKβ with Σβ = `total` over the rows of the one sign and −`total` over those of the other: the nearest points of
// two hulls, reduced where the bounds are below `total`. margin: ρ, half the difference of the levels.
template <class T>
SvmDual solve_two_hulls(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                        double total, const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  BoxQp qp = signed_box(signs, bounds);
  for (const double sign : signs) {
    qp.group.push_back(sign > 0 ? 0 : 1);
  }
  for (const std::uint8_t group : {std::uint8_t{0}, std::uint8_t{1}}) {
    fill_start(qp, total, [&](std::size_t t) { return qp.group[t] == group; });
  }
  go_on_from(qp, start);
  // Everything is divided by ρ afterwards, the gap too.
  qp.unit = half_difference;
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double rho = (solution.level[0] - solution.level[1]) / 2;
  const double offset = -(solution.level[0] + solution.level[1]) / 2;
  SvmDual dual = from_solution(std::move(solution), qp, signs.size());
  dual.margin = rho;
  dual.offset = offset;
  return dual;
}

// A margin that cannot be told from 0. One that was not solved to the end is returned as it is: its status says so.
double least_margin(const SvmDual& dual) {
  return dual.status == SolveStatus::iteration_limit ? dual.accuracy : std::max(dual.accuracy, dual.gap);
}

std::string how_known(const SvmDual& dual) {
  if (dual.status == SolveStatus::iteration_limit) {
    return "with a KKT gap of " + shortest(dual.gap) + " after all steps that max_steps allows";
  }
  return "which is 0 within the accuracy of the kernel values, " + shortest(std::max(dual.accuracy, dual.gap));
}

// All that is linear or quadratic in the coefficients.
void scale_by(SvmDual& dual, double factor) {
  for (std::vector<double>* vector : {&dual.coefficients, &dual.values, &dual.variables}) {
    for (double& value : *vector) {
      value *= factor;
    }
  }
  dual.offset *= factor;
  dual.objective *= factor * factor;
  dual.gap *= factor;
  dual.unit *= factor;
  dual.accuracy *= factor;
}

}  // namespace

template <class T>
SvmDual solve_c_svc(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                    const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  require_rows(gram, signs, "signs");
  require_rows(gram, bounds, "bounds");
  require_both_signs(signs);
  BoxQp qp = from_zero(classifier_box(signs, bounds));
  use_start(qp, start);
  balance(qp.start);
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, signs.size());
  dual.offset = -level;
  return dual;
}

template <class T>
SvmDual solve_l2_svc(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                     const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  require_rows(gram, signs, "signs");
  require_rows(gram, bounds, "bounds");
  require_both_signs(signs);
  // A row whose slack costs nothing has no say.
  std::vector<double> limits(signs.size());
  std::transform(bounds.begin(), bounds.end(), limits.begin(), [](double c) { return c > 0 ? infinity : 0.0; });
  BoxQp qp = from_zero(classifier_box(signs, limits));
  std::transform(bounds.begin(), bounds.end(), std::back_inserter(qp.ridge),
                 [](double c) { return c > 0 ? 1 / (2 * c) : 0.0; });
  use_start(qp, start);
  balance(qp.start);
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, signs.size());
  dual.offset = -level;
  return dual;
}

double largest_nu(std::span<const double> signs, std::span<const double> weights) {
  double positive = 0;
  double negative = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    (signs[i] > 0 ? positive : negative) += weights[i];
  }
  return positive + negative > 0 ? 2 * std::min(positive, negative) / (positive + negative) : 0.0;
}

template <class T>
SvmDual solve_undivided_nu_svc(const Gram<T>& gram, std::span<const double> signs, double nu,
                               std::span<const double> weights, const BoxQpOptions& options, const Run& run,
                               std::span<const double> start) {
  require_rows(gram, signs, "signs");
  require_rows(gram, weights, "weights");
  require_both_signs(signs);
  const double largest = largest_nu(signs, weights);
  if (!(nu > 0) || nu > largest * (1 + 1e-12)) {
    throw InvalidArgument("nu = " + shortest(nu) +
                          " is not feasible for these classes: it must be above 0 and at most " + shortest(largest) +
                          ", twice the share of the smaller class");
  }
  return solve_two_hulls(gram, signs, weights, nu * sum_of(weights) / 2, options, run, start);
}

void divide_by_margin(SvmDual& dual, double nu, double largest) {
  const double rho = dual.margin;
  if (!(rho > least_margin(dual))) {
    throw NumericalError("nu = " + shortest(nu) + " leaves no margin: rho = " + shortest(rho) + ", " + how_known(dual) +
                         ". It is below the share of errors that these data force: raise it towards " +
                         shortest(largest));
  }
  scale_by(dual, 1 / rho);
}

template <class T>
SvmDual solve_nu_svc(const Gram<T>& gram, std::span<const double> signs, double nu, std::span<const double> weights,
                     const BoxQpOptions& options, const Run& run) {
  SvmDual dual = solve_undivided_nu_svc(gram, signs, nu, weights, options, run);
  divide_by_margin(dual, nu, largest_nu(signs, weights));
  return dual;
}

template <class T>
SvmDual solve_hulls(const Gram<T>& gram, std::span<const double> signs, std::span<const double> weights,
                    const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  require_rows(gram, signs, "signs");
  require_rows(gram, weights, "weights");
  require_both_signs(signs);
  std::vector<double> limits(signs.size());
  std::transform(weights.begin(), weights.end(), limits.begin(), [](double w) { return w > 0 ? infinity : 0.0; });
  return solve_two_hulls(gram, signs, limits, 1.0, options, run, start);
}

void make_hard_margin(SvmDual& dual, std::span<const double> signs) {
  if (!(dual.margin > least_margin(dual)) || !(dual.objective > 0)) {
    throw NumericalError(
        "the classes cannot be separated with this kernel: of the squared distance of their convex hulls, " +
        shortest(2 * dual.margin) + " is left, " + how_known(dual));
  }
  // ρ = ‖w‖²/2 at the solution; of all multiples of this β the one by ‖w‖²/2 has the best value of the dual.
  scale_by(dual, 1 / dual.objective);
  dual.margin = 1;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    dual.objective -= signs[i] * dual.coefficients[i];
  }
}

namespace {

template <class T>
SvmDual solve_tube(const Gram<T>& gram, std::span<const double> targets, MachineBox box, std::span<const double> bounds,
                   const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  BoxQp qp = from_zero(std::move(box));
  use_start(qp, start);
  balance(qp.start);
  qp.unit = [unit = deviation(targets, bounds)](const BoxQpPoint&) { return unit; };
  qp.unit_kind = UnitKind::given;
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, targets.size());
  dual.offset = -level;
  return dual;
}

}  // namespace

template <class T>
SvmDual solve_epsilon_svr(const Gram<T>& gram, std::span<const double> targets, double epsilon,
                          std::span<const double> bounds, const BoxQpOptions& options, const Run& run,
                          std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, bounds, "bounds");
  SvmDual dual = solve_tube(gram, targets, tube_box(targets, epsilon, bounds), bounds, options, run, start);
  dual.margin = epsilon;
  return dual;
}

template <class T>
SvmDual solve_epsilon_svr(const Gram<T>& gram, std::span<const double> targets, std::span<const double> epsilons,
                          std::span<const double> bounds, const BoxQpOptions& options, const Run& run,
                          std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, epsilons, "widths of the tube");
  require_rows(gram, bounds, "bounds");
  SvmDual dual = solve_tube(gram, targets, tube_box(targets, epsilons, bounds), bounds, options, run, start);
  const double total = sum_of(bounds);
  dual.margin = 0;
  for (std::size_t i = 0; i < epsilons.size() && total > 0; ++i) {
    dual.margin += bounds[i] / total * epsilons[i];
  }
  return dual;
}

namespace {

// A tube is no narrower than 0. The midpoints of two intervals (no coefficient is free) may say so, and levels that the
// gap leaves uncertain: then the tube has the width 0, at a level that is optimal for both sides.
void make_levels_meet(BoxQpResult& solution) {
  const double middle = (solution.level[0] + solution.level[1]) / 2;
  const double lowest = std::max(solution.lowest_level[0], solution.lowest_level[1]);
  const double highest = std::min(solution.highest_level[0], solution.highest_level[1]);
  solution.level.fill(lowest <= highest ? std::clamp(middle, lowest, highest) : middle);
}

// Both sides of the tube have coefficients of the sum `half`, within these bounds.
template <class T>
SvmDual solve_halves(const Gram<T>& gram, std::span<const double> targets, double half, std::span<const double> bounds,
                     std::span<const double> weights, const BoxQpOptions& options, const Run& run,
                     std::span<const double> start) {
  BoxQp qp = from_zero(tube_box(targets, 0.0, bounds));
  const std::size_t rows = targets.size();
  qp.group.assign(2 * rows, 0);
  std::fill(qp.group.begin() + static_cast<Index>(rows), qp.group.end(), std::uint8_t{1});
  for (const std::uint8_t group : {std::uint8_t{0}, std::uint8_t{1}}) {
    fill_start(qp, half, [&](std::size_t t) { return qp.group[t] == group; });
  }
  go_on_from(qp, start);
  qp.unit = [unit = deviation(targets, weights)](const BoxQpPoint&) { return unit; };
  qp.unit_kind = UnitKind::given;
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  if (solution.level[1] < solution.level[0]) {
    make_levels_meet(solution);
  }
  const double offset = -(solution.level[0] + solution.level[1]) / 2;
  const double epsilon = (solution.level[1] - solution.level[0]) / 2;
  SvmDual dual = from_solution(std::move(solution), qp, rows);
  dual.offset = offset;
  dual.margin = epsilon;
  return dual;
}

// None, of the rows that count.
std::vector<double> no_bounds(std::span<const double> weights) {
  std::vector<double> limits(weights.size());
  std::ranges::transform(weights, limits.begin(), [](double weight) { return weight > 0 ? infinity : 0.0; });
  return limits;
}

}  // namespace

template <class T>
SvmDual solve_nu_svr(const Gram<T>& gram, std::span<const double> targets, double nu, std::span<const double> bounds,
                     const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, bounds, "bounds");
  const double half = std::min(nu, 1.0) * sum_of(bounds) / 2;
  return solve_halves(gram, targets, half, bounds, bounds, options, run, start);
}

template <class T>
SvmDual solve_hard_nu_svr(const Gram<T>& gram, std::span<const double> targets, double price,
                          std::span<const double> weights, const BoxQpOptions& options, const Run& run,
                          std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, weights, "weights");
  return solve_halves(gram, targets, price / 2, no_bounds(weights), weights, options, run, start);
}

template <class T>
SvmDual solve_one_sided(const Gram<T>& gram, std::span<const double> targets, double price,
                        std::span<const double> bounds, std::span<const double> weights, const BoxQpOptions& options,
                        const Run& run, std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, bounds, "bounds");
  require_rows(gram, weights, "weights");
  BoxQp qp;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    qp.linear.push_back(-targets[i]);
    qp.lower.push_back(0.0);
    qp.upper.push_back(bounds[i]);
  }
  qp.start.assign(targets.size(), 0.0);
  fill_start(qp, price, [](std::size_t) { return true; });
  go_on_from(qp, start);
  qp.unit = [unit = deviation(targets, weights)](const BoxQpPoint&) { return unit; };
  qp.unit_kind = UnitKind::given;
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, targets.size());
  dual.offset = -level;
  dual.margin = 0;
  return dual;
}

template <class T>
SvmDual solve_quantile_svr(const Gram<T>& gram, std::span<const double> targets, double level,
                           std::span<const double> bounds, const BoxQpOptions& options, const Run& run,
                           std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, bounds, "bounds");
  MachineBox box;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    box.linear.push_back(-targets[i]);
    box.lower.push_back((level - 1) * bounds[i]);
    box.upper.push_back(level * bounds[i]);
  }
  BoxQp qp = from_zero(std::move(box));
  use_start(qp, start);
  balance(qp.start);
  qp.unit = [unit = deviation(targets, bounds)](const BoxQpPoint&) { return unit; };
  qp.unit_kind = UnitKind::given;
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double gradient = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, targets.size());
  dual.offset = -gradient;
  return dual;
}

template <class T>
SvmDual solve_one_class(const Gram<T>& gram, double nu, std::span<const double> weights, const BoxQpOptions& options,
                        const Run& run, std::span<const double> start) {
  require_rows(gram, weights, "weights");
  const std::vector<double> signs(weights.size(), 1.0);
  BoxQp qp = signed_box(signs, weights);
  const double total = nu * sum_of(weights);
  fill_start(qp, total, [](std::size_t) { return true; });
  go_on_from(qp, start);
  // ρ is what values are compared with, and 2/Σβ times a gap is one of squared distances from the centre: small against
  // both. (Where the kernel is nearly constant ρ alone would be as large as the constant.)
  const std::vector<double> diagonal = diagonal_of(gram);
  qp.unit = [total, &diagonal](const BoxQpPoint& point) {
    return std::min(std::abs(point.level[0]), total * variance_of(point, diagonal));
  };
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, weights.size());
  dual.offset = -level;
  return dual;
}

template <class T>
SvmDual solve_svdd(const Gram<T>& gram, double nu, std::span<const double> weights, const BoxQpOptions& options,
                   const Run& run, std::span<const double> start) {
  require_rows(gram, weights, "weights");
  const double total = nu * sum_of(weights);
  std::vector<double> bounds(weights.begin(), weights.end());
  for (double& bound : bounds) {
    bound = std::min(1.0, bound / total);
  }
  const std::vector<double> signs(weights.size(), 1.0);
  BoxQp qp = signed_box(signs, bounds);
  const std::vector<double> diagonal = diagonal_of(gram);
  std::transform(diagonal.begin(), diagonal.end(), qp.linear.begin(), [](double value) { return value / -2; });
  fill_start(qp, 1.0, [](std::size_t) { return true; });
  go_on_from(qp, start);
  // A gap g is one of 2g in squared distances: the radius is right to the tolerance, relative to itself. (Where nearly
  // all rows are outside it may be 0; not below a thirtieth of the spread.)
  qp.unit = [&diagonal](const BoxQpPoint& point) {
    const double variance = variance_of(point, diagonal);
    const double squared_radius = std::abs(squared_norm(point) - 2 * point.level[0]);
    return std::isinf(variance) ? squared_radius : std::clamp(squared_radius, 1e-3 * variance, variance);
  };
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  const double norm = squared_norm({solution.level, solution.coefficients, solution.values});  // of the centre
  SvmDual dual = from_solution(std::move(solution), qp, weights.size());
  dual.margin = std::max(0.0, norm - 2 * level);
  dual.offset = level;
  return dual;
}

#define MERCER_INSTANTIATE(T)                                                                                          \
  template SvmDual solve_c_svc(const Gram<T>&, std::span<const double>, std::span<const double>, const BoxQpOptions&,  \
                               const Run&, std::span<const double>);                                                   \
  template SvmDual solve_l2_svc(const Gram<T>&, std::span<const double>, std::span<const double>, const BoxQpOptions&, \
                                const Run&, std::span<const double>);                                                  \
  template SvmDual solve_nu_svc(const Gram<T>&, std::span<const double>, double, std::span<const double>,              \
                                const BoxQpOptions&, const Run&);                                                      \
  template SvmDual solve_undivided_nu_svc(const Gram<T>&, std::span<const double>, double, std::span<const double>,    \
                                          const BoxQpOptions&, const Run&, std::span<const double>);                   \
  template SvmDual solve_hulls(const Gram<T>&, std::span<const double>, std::span<const double>, const BoxQpOptions&,  \
                               const Run&, std::span<const double>);                                                   \
  template SvmDual solve_epsilon_svr(const Gram<T>&, std::span<const double>, double, std::span<const double>,         \
                                     const BoxQpOptions&, const Run&, std::span<const double>);                        \
  template SvmDual solve_epsilon_svr(const Gram<T>&, std::span<const double>, std::span<const double>,                 \
                                     std::span<const double>, const BoxQpOptions&, const Run&,                         \
                                     std::span<const double>);                                                         \
  template SvmDual solve_hard_nu_svr(const Gram<T>&, std::span<const double>, double, std::span<const double>,         \
                                     const BoxQpOptions&, const Run&, std::span<const double>);                        \
  template SvmDual solve_one_sided(const Gram<T>&, std::span<const double>, double, std::span<const double>,           \
                                   std::span<const double>, const BoxQpOptions&, const Run&, std::span<const double>); \
  template SvmDual solve_nu_svr(const Gram<T>&, std::span<const double>, double, std::span<const double>,              \
                                const BoxQpOptions&, const Run&, std::span<const double>);                             \
  template SvmDual solve_quantile_svr(const Gram<T>&, std::span<const double>, double, std::span<const double>,        \
                                      const BoxQpOptions&, const Run&, std::span<const double>);                       \
  template SvmDual solve_one_class(const Gram<T>&, double, std::span<const double>, const BoxQpOptions&, const Run&,   \
                                   std::span<const double>);                                                           \
  template SvmDual solve_svdd(const Gram<T>&, double, std::span<const double>, const BoxQpOptions&, const Run&,        \
                              std::span<const double>)
MERCER_INSTANTIATE(float);
MERCER_INSTANTIATE(double);
#undef MERCER_INSTANTIATE

}  // namespace mercer
