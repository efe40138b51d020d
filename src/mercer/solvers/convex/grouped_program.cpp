#include "mercer/solvers/convex/grouped_program.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/linalg/blas.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"

namespace mercer {

namespace {

constexpr double grouped_tolerance = 1e-9;  // of the iteration: digits cost little there
constexpr Index grouped_iterations = 200;
constexpr int newton_rounds = 60;
constexpr double as_good_as_any = 1e-13;  // a gap that is as good as any
constexpr double least_rho = 1e-7;

}  // namespace

GroupedProgram::GroupedProgram(Matrix<double> gram, std::vector<double> signs, std::vector<Index> groups,
                               std::vector<double> bounds, const Run& run)
    : gram_(std::move(gram)),
      signs_(std::move(signs)),
      groups_(std::move(groups)),
      bounds_(std::move(bounds)),
      run_(run) {
  const Index n = size();
  column_means_.assign(static_cast<std::size_t>(n), 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      column_means_[j] += gram_(i, j) / static_cast<double>(n);
    }
  }
  const double mean = std::accumulate(column_means_.begin(), column_means_.end(), 0.0) / static_cast<double>(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      gram_(i, j) += mean - (column_means_[i] + column_means_[j]);
      gram_(j, i) = gram_(i, j);
    }
  }
}

// Groups of one row are bounds of their variables, the others rows of constraints.
ConvexSolution GroupedProgram::interior_point(double linear, const std::vector<double>& totals) const {
  const Index n = size();
  std::vector<Index> count(bounds_.size(), 0);
  for (const Index g : groups_) {
    ++count[g];
  }
  std::vector<Index> place(bounds_.size(), -1);
  std::vector<double> upper;
  for (std::size_t g = 0; g < bounds_.size(); ++g) {
    if (count[g] > 1) {
      place[g] = static_cast<Index>(upper.size());
      upper.push_back(bounds_[g]);
    }
  }
  Matrix<double> range = Matrix<double>::filled(static_cast<Index>(upper.size()), n, 0.0);
  Matrix<double> equality = Matrix<double>::filled(static_cast<Index>(totals.size()), n, 1.0);
  Matrix<double> quadratic(n, n);
  ConvexProgram program;
  for (Index i = 0; i < n; ++i) {
    const Index row = place[groups_[i]];
    if (row >= 0) {
      range(row, i) = 1;
    }
    equality(0, i) = signs_[i];
    program.linear.push_back(linear);
    program.lower.push_back(0.0);
    program.upper.push_back(row >= 0 ? std::numeric_limits<double>::infinity() : bounds_[groups_[i]]);
    for (Index j = 0; j < n; ++j) {
      quadratic(i, j) = signs_[i] * signs_[j] * gram_(i, j);
    }
  }
  program.quadratic = std::make_shared<DenseQuadratic>(std::move(quadratic));
  program.equality = equality.view();
  program.equality_values = totals;
  program.range = range.view();
  program.range_lower.assign(upper.size(), -std::numeric_limits<double>::infinity());
  program.range_upper = std::move(upper);
  return solve_convex_program(
      program,
      {.tolerance = grouped_tolerance, .max_iterations = grouped_iterations, .certificates = Certificates::off}, run_);
}

GroupedJudgement GroupedProgram::solve() {
  const ConvexSolution found = interior_point(-1, {0.0});
  iterations_ += found.iterations;
  if (static_cast<Index>(found.point.x.size()) != size()) {
    throw NumericalError("the interior point found no solution: " + found.message);
  }
  return refined({.alpha = found.point.x, .offset = -found.point.equality_multipliers.front()});
}

GroupedJudgement GroupedProgram::solve_nu(double total) {
  const ConvexSolution found = interior_point(0, {0.0, total});
  iterations_ += found.iterations;
  if (static_cast<Index>(found.point.x.size()) != size()) {
    throw NumericalError("the interior point found no solution: " + found.message);
  }
  // ρ is a mean of values of f, of which rounding and the iteration leave so much.
  double largest = 0;
  for (Index i = 0; i < size(); ++i) {
    largest = std::max(largest, std::abs(gram_(i, i)));
  }
  rho_ = found.point.equality_multipliers[1];
  if (!(rho_ > least_rho * largest * total)) {
    throw NumericalError("this nu leaves no margin: rho = " + shortest(rho_) +
                         " is 0 within what is known of it. It is below the share of errors that these data force");
  }
  GroupedPoint point{.alpha = found.point.x, .offset = -found.point.equality_multipliers.front() / rho_};
  for (double& value : point.alpha) {
    value /= rho_;
  }
  for (double& bound : bounds_) {
    bound /= rho_;
  }
  return refined(std::move(point));
}

std::vector<double> GroupedProgram::group_sums(const std::vector<double>& alpha) const {
  std::vector<double> sums(bounds_.size(), 0.0);
  for (Index i = 0; i < size(); ++i) {
    sums[groups_[i]] += alpha[i];
  }
  return sums;
}

std::vector<bool> GroupedProgram::full_groups(const std::vector<double>& alpha) const {
  constexpr double rounding = 1e-7;
  const std::vector<double> sums = group_sums(alpha);
  std::vector<bool> full;
  for (std::size_t g = 0; g < bounds_.size(); ++g) {
    full.push_back(sums[g] >= bounds_[g] * (1 - rounding));
  }
  return full;
}

// What is negative is 0, sums above their bound are scaled down to it, and so is the heavier class to the other.
void GroupedProgram::make_feasible(std::vector<double>& alpha) const {
  for (double& value : alpha) {
    value = std::max(0.0, value);
  }
  const std::vector<double> sums = group_sums(alpha);
  double positive = 0;
  double negative = 0;
  for (Index i = 0; i < size(); ++i) {
    const Index g = groups_[i];
    alpha[i] *= sums[g] > bounds_[g] ? bounds_[g] / sums[g] : 1.0;
    (signs_[i] > 0 ? positive : negative) += alpha[i];
  }
  for (Index i = 0; i < size(); ++i) {
    const double own = signs_[i] > 0 ? positive : negative;
    const double other = signs_[i] > 0 ? negative : positive;
    alpha[i] *= own > other ? other / own : 1.0;
  }
}

std::vector<double> GroupedProgram::values_of(const std::vector<double>& alpha) const {
  std::vector<double> beta(alpha.size());
  for (std::size_t i = 0; i < beta.size(); ++i) {
    beta[i] = signs_[i] * alpha[i];
  }
  std::vector<double> values(alpha.size(), 0.0);
  gemv(1.0, std::as_const(gram_).view(), Transpose::no, beta, 0.0, values);
  return values;
}

GroupedJudgement GroupedProgram::judged(GroupedPoint point) const {
  GroupedJudgement result;
  make_feasible(point.alpha);
  result.values = values_of(point.alpha);
  result.slacks.assign(bounds_.size(), 0.0);
  double norm = 0;
  double sum = 0;
  for (Index i = 0; i < size(); ++i) {
    norm += signs_[i] * point.alpha[i] * result.values[i];
    sum += point.alpha[i];
    double& slack = result.slacks[groups_[i]];
    slack = std::max(slack, 1 - signs_[i] * (result.values[i] + point.offset));
  }
  const std::vector<bool> full = full_groups(point.alpha);
  double loss = 0;
  double unit = 0;  // what a fit that is wrong everywhere would cost
  for (std::size_t g = 0; g < bounds_.size(); ++g) {
    loss += bounds_[g] * result.slacks[g];
    unit += bounds_[g];
  }
  result.violation = 0;
  for (Index i = 0; i < size(); ++i) {
    const double way = 1 - signs_[i] * (result.values[i] + point.offset);
    const double allowed = full[groups_[i]] ? result.slacks[groups_[i]] : 0.0;
    result.violation = std::max({result.violation, way - allowed, point.alpha[i] > 0 ? allowed - way : 0.0});
  }
  result.primal = norm / 2 + loss;
  result.dual = sum - norm / 2;
  const double scale =
      std::max({std::abs(result.primal), std::abs(result.dual), 1e-6 * unit, std::numeric_limits<double>::min()});
  result.relative_gap = std::abs(result.primal - result.dual) / scale;
  result.point = std::move(point);
  return result;
}

// Coefficients of rows that are not active are 0, and those of full groups have the sum that they are full with.
GroupedPoint GroupedProgram::on_bounds(GroupedPoint point, const Active& active) const {
  for (Index i = 0; i < size(); ++i) {
    point.alpha[i] = active.rows[i] ? point.alpha[i] : 0.0;
  }
  const std::vector<double> sums = group_sums(point.alpha);
  for (Index i = 0; i < size(); ++i) {
    const Index g = groups_[i];
    point.alpha[i] *= active.groups[g] && sums[g] > 0 ? bounds_[g] / sums[g] : 1.0;
  }
  return point;
}

// By the conditions of the rows where both are optimal as far as the objective tells, by the gap elsewhere.
bool GroupedProgram::is_better(const GroupedJudgement& candidate, const GroupedJudgement& best) {
  constexpr double settled = 1e-7;
  if (candidate.relative_gap <= settled && best.relative_gap <= settled) {
    return candidate.violation <= best.violation;
  }
  return candidate.relative_gap <= std::max(best.relative_gap, as_good_as_any);
}

// The interior point's answer, and what Newton's method on its active rows makes of it, the one with the smaller gap.
GroupedJudgement GroupedProgram::refined(GroupedPoint point) const {
  GroupedJudgement best = judged(std::move(point));
  Active now = active(best);
  if (GroupedJudgement candidate = judged(on_bounds(best.point, now)); is_better(candidate, best)) {
    best = std::move(candidate);
  }
  std::vector<Active> seen;
  for (int round = 0; round < newton_rounds && std::ranges::find(seen, now) == seen.end(); ++round) {
    run_.check_stop();
    seen.push_back(now);
    GroupedPoint target = best.point;
    std::vector<double> slacks = best.slacks;
    if (!newton(now, target, slacks)) {
      break;
    }
    if (correct(now, target, slacks)) {
      continue;
    }
    GroupedJudgement candidate = judged(target);
    const bool more = release(now, candidate);
    if (is_better(candidate, best)) {
      best = std::move(candidate);
    }
    if (!more) {
      break;
    }
  }
  return best;
}

}  // namespace mercer
