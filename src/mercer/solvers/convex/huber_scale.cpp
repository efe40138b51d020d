#include "mercer/solvers/convex/huber_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "mercer/base/error.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"

namespace mercer {

namespace {

constexpr double huber_tolerance = 1e-9;  // of the interior point
constexpr Index most_huber_iterations = 200;
constexpr int most_scales = 60;
constexpr int most_row_changes = 8;
constexpr double least_share = 1e-9;  // of half the range of the targets: a σ below is 0
constexpr double same_scale = 1e-14;
constexpr double next_to_bound = 1 - 1e-6;  // where the interior point ends

// The machine of one σ.
struct ScalePoint {
  double scale = 0;
  std::vector<double> beta = {};
  std::vector<double> values = {};  // Kβ
  double offset = 0;
  double slope = 0;  // of Σβ²/C over the rows between their bounds, by σ
  Index iterations = 0;
};

class HuberScaleSolver {
 public:
  HuberScaleSolver(const HuberScale& problem, const Run& run)
      : problem_(problem), run_(run), gram_(std::make_shared<DenseQuadratic>(problem.gram)) {}

  HuberScaleSolution solve(double half_range, double tolerance) const;

 private:
  Index size() const { return static_cast<Index>(problem_.targets.size()); }
  double y(Index i) const { return problem_.targets[i]; }
  double bound(Index i) const { return problem_.bounds[i]; }
  double share(Index i, double beta) const { return beta * beta / bound(i); }
  std::vector<double> values_of(std::span<const double> beta) const;

  ScalePoint interior_point(double scale) const;
  std::vector<int> sides_of(const ScalePoint& point, double scale) const;
  std::optional<ScalePoint> with_rows(std::span<const int> sides, double scale) const;
  bool is_optimal(std::span<const int> sides, const ScalePoint& point) const;
  std::optional<ScalePoint> by_rows(const ScalePoint& near, double scale) const;
  ScalePoint at(double scale, const ScalePoint* near) const;

  double ball(const ScalePoint& point) const;
  double next_scale(const ScalePoint& point) const;
  HuberScaleSolution judged(const ScalePoint& point, double scale) const;

  const HuberScale& problem_;
  const Run& run_;
  std::shared_ptr<const DenseQuadratic> gram_;
};

std::vector<double> HuberScaleSolver::values_of(std::span<const double> beta) const {
  std::vector<double> values(beta.size());
  gram_->multiply(beta, values, run_);
  return values;
}

ScalePoint HuberScaleSolver::interior_point(double scale) const {
  const Index n = size();
  const Matrix<double> sum = Matrix<double>::filled(1, n, 1.0);
  std::vector<double> ridge;
  ConvexProgram program{.quadratic = gram_, .equality = sum.view(), .equality_values = {0.0}};
  for (Index i = 0; i < n; ++i) {
    program.linear.push_back(-y(i));
    program.lower.push_back(-bound(i));
    program.upper.push_back(bound(i));
    ridge.push_back(scale / bound(i));
  }
  program.separable = std::make_shared<PowerTerm>(std::move(ridge), 2.0);
  const ConvexSolution found = solve_convex_program(
      program,
      {.tolerance = huber_tolerance, .max_iterations = most_huber_iterations, .certificates = Certificates::off}, run_);
  ScalePoint point{.scale = scale, .beta = found.point.x, .offset = -found.point.equality_multipliers.front()};
  point.iterations = found.iterations;
  for (Index i = 0; i < n; ++i) {
    point.beta[i] = std::clamp(point.beta[i], -bound(i), bound(i));
  }
  point.values = values_of(point.beta);
  return point;
}

// 1 where a row is above f by σ or more, −1 below, 0 between: by where the row is and where its coefficient is, half of each.
std::vector<int> HuberScaleSolver::sides_of(const ScalePoint& point, double scale) const {
  std::vector<int> sides;
  for (Index i = 0; i < size(); ++i) {
    const double error = (y(i) - point.values[i] - point.offset) / scale;
    const double mean = (error + point.beta[i] / bound(i)) / 2;
    sides.push_back(mean >= 1 ? 1 : mean <= -1 ? -1 : 0);
  }
  return sides;
}

// With the rows F between their bounds, and the others on theirs:
//
//   (K_FF + σ/C) β_F + b = y − K_FB β_B,   Σβ = 0,     and by σ   (K_FF + σ/C) β' + b' = −β_F/C,   Σβ' = 0
//
// Nothing where a factorization does not work out.
std::optional<ScalePoint> HuberScaleSolver::with_rows(std::span<const int> sides, double scale) const {
  ScalePoint point{.scale = scale, .beta = std::vector<double>(sides.size(), 0.0)};
  std::vector<Index> free;
  for (Index i = 0; i < size(); ++i) {
    point.beta[i] = sides[i] * bound(i);
    if (sides[i] == 0) {
      free.push_back(i);
    }
  }
  const auto count = static_cast<Index>(free.size());
  if (count == 0) {
    return std::nullopt;
  }
  const std::vector<double> fixed = values_of(point.beta);
  Matrix<double> kernel(count, count);
  for (Index k = 0; k < count; ++k) {
    for (Index l = 0; l <= k; ++l) {
      kernel(k, l) = problem_.gram(free[k], free[l]);
    }
    kernel(k, k) += scale / bound(free[k]);
  }
  if (!try_cholesky<double>(kernel.view(), run_).ok) {
    return std::nullopt;
  }
  Matrix<double> right(count, 2);
  for (Index k = 0; k < count; ++k) {
    right(k, 0) = y(free[k]) - fixed[free[k]];
    right(k, 1) = 1;
  }
  cholesky_solve<double>(kernel.view(), right.view(), run_);
  const auto column_sum = [&](const Matrix<double>& matrix, Index c) {
    double sum = 0;
    for (Index k = 0; k < count; ++k) {
      sum += matrix(k, c);
    }
    return sum;
  };
  const double ones = column_sum(right, 1);
  if (!(ones > 0)) {
    return std::nullopt;
  }
  const double rest = std::accumulate(point.beta.begin(), point.beta.end(), 0.0);
  point.offset = (column_sum(right, 0) + rest) / ones;
  Matrix<double> change(count, 1);
  for (Index k = 0; k < count; ++k) {
    point.beta[free[k]] = right(k, 0) - point.offset * right(k, 1);
    change(k, 0) = -point.beta[free[k]] / bound(free[k]);
  }
  cholesky_solve<double>(kernel.view(), change.view(), run_);
  const double moved = column_sum(change, 0) / ones;
  for (Index k = 0; k < count; ++k) {
    const double slope = change(k, 0) - moved * right(k, 1);
    point.slope += 2 * point.beta[free[k]] / bound(free[k]) * slope;
  }
  point.values = values_of(point.beta);
  return point;
}

// Whether the rows between their bounds are, and the others are σ away: the conditions of the optimum of this σ.
bool HuberScaleSolver::is_optimal(std::span<const int> sides, const ScalePoint& point) const {
  for (Index i = 0; i < size(); ++i) {
    const double error = y(i) - point.values[i] - point.offset;
    const bool is_good = sides[i] == 0 ? std::abs(point.beta[i]) <= bound(i) * (1 + 1e-12)
                                       : sides[i] * error >= point.scale * (1 - 1e-9);
    if (!is_good) {
      return false;
    }
  }
  return std::isfinite(point.offset);
}

std::optional<ScalePoint> HuberScaleSolver::by_rows(const ScalePoint& near, double scale) const {
  std::vector<int> sides = sides_of(near, scale);
  for (int pass = 0; pass < most_row_changes; ++pass) {
    std::optional<ScalePoint> point = with_rows(sides, scale);
    if (!point) {
      return std::nullopt;
    }
    if (is_optimal(sides, *point)) {
      for (Index i = 0; i < size(); ++i) {
        point->beta[i] = std::clamp(point->beta[i], -bound(i), bound(i));
      }
      return point;
    }
    sides = sides_of(*point, scale);
  }
  return std::nullopt;
}

ScalePoint HuberScaleSolver::at(double scale, const ScalePoint* near) const {
  if (near != nullptr) {
    if (std::optional<ScalePoint> point = by_rows(*near, scale)) {
      return *std::move(point);
    }
  }
  ScalePoint point = interior_point(scale);
  if (std::optional<ScalePoint> exact = by_rows(point, scale)) {
    exact->iterations = point.iterations;
    return *std::move(exact);
  }
  return point;
}

double HuberScaleSolver::ball(const ScalePoint& point) const {
  double sum = 0;
  for (Index i = 0; i < size(); ++i) {
    sum += share(i, point.beta[i]);
  }
  return sum;
}

// Newton's step on 1/√ of what the rows between their bounds add to the ball, which is nearly linear in σ.
double HuberScaleSolver::next_scale(const ScalePoint& point) const {
  double between = 0;
  double bounded = 0;
  for (Index i = 0; i < size(); ++i) {
    const double part = share(i, point.beta[i]);
    (std::abs(point.beta[i]) < bound(i) ? between : bounded) += part;
  }
  const double wanted = problem_.price - bounded;
  if (!(wanted > 0) || !(point.slope < 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return point.scale + 2 * between / -point.slope * (std::sqrt(between / wanted) - 1);
}

// The objectives of the point's function with this σ, and of its coefficients, made feasible for the dual.
HuberScaleSolution HuberScaleSolver::judged(const ScalePoint& point, double scale) const {
  HuberScaleSolution solution{
      .coefficients = point.beta, .values = point.values, .offset = point.offset, .scale = scale};
  double norm = 0;
  double product = 0;
  double loss = problem_.price * scale / 2;
  double unit = 0;  // what a fit that is wrong everywhere would cost
  for (Index i = 0; i < size(); ++i) {
    norm += point.beta[i] * point.values[i];
    product += y(i) * point.beta[i];
    const double error = std::abs(y(i) - point.values[i] - point.offset);
    loss += bound(i) * (error < scale ? error * error / (2 * scale) : error - scale / 2);
    unit += bound(i) * std::abs(y(i));
    solution.bounded += std::abs(point.beta[i]) >= bound(i) * next_to_bound ? 1 : 0;
  }
  // A sum that is not quite 0 takes part as if the offset were its price.
  product -= point.offset * std::accumulate(point.beta.begin(), point.beta.end(), 0.0);
  const double shrunk = std::min(1.0, std::sqrt(problem_.price / std::max(ball(point), problem_.price)));
  solution.primal = norm / 2 + loss;
  solution.dual = shrunk * product - shrunk * shrunk * norm / 2;
  const double size_of_both =
      std::max({std::abs(solution.primal), std::abs(solution.dual), 1e-6 * unit, std::numeric_limits<double>::min()});
  solution.relative_gap = std::abs(solution.primal - solution.dual) / size_of_both;
  return solution;
}

HuberScaleSolution HuberScaleSolver::solve(double half_range, double tolerance) const {
  // f = b costs Σ C ρ_σ ≤ ΣC R²/(2σ), and Σ C min(1, (ξ/σ)²) is at most 2/σ times what the optimum costs.
  const double total = std::accumulate(problem_.bounds.begin(), problem_.bounds.end(), 0.0);
  const double floor = half_range * least_share;
  double least = 0;
  double largest = half_range * std::max(1.0, std::sqrt(total / problem_.price)) * (1 + 1e-9);
  double scale = largest / 4;
  ScalePoint point;
  HuberScaleSolution best;
  Index iterations = 0;
  for (int step = 0; step < most_scales; ++step) {
    run_.check_stop();
    point = at(scale, step == 0 ? nullptr : &point);
    iterations += point.iterations;
    HuberScaleSolution other = judged(point, scale);
    if (step == 0 || other.relative_gap < best.relative_gap) {
      best = std::move(other);
    }
    const double excess = ball(point) - problem_.price;
    (excess > 0 ? least : largest) = scale;
    if (scale == floor && excess <= 0) {
      HuberScaleSolution none = judged(point, 0.0);
      if (none.relative_gap <= std::max(best.relative_gap, tolerance)) {
        best = std::move(none);
      }
      break;
    }
    double next = next_scale(point);
    if (std::abs(excess) <= same_scale * problem_.price || std::abs(next - scale) <= same_scale * scale ||
        largest - least <= same_scale * largest) {
      break;
    }
    if (!(next > least && next < largest)) {
      next = least > 0.01 * largest ? least + (largest - least) / 2
             : least > 0            ? std::sqrt(least * largest)
                                    : largest / 1000;
    }
    scale = std::max(next, floor);
  }
  if (!std::isfinite(best.primal) || !std::isfinite(best.dual)) {
    throw NumericalError("the scale of Huber's loss: the interior point found no solution");
  }
  best.iterations = iterations;
  best.status = best.relative_gap <= tolerance ? SolveStatus::converged : SolveStatus::stalled;
  return best;
}

}  // namespace

HuberScaleSolution solve_huber_scale(const HuberScale& problem, double tolerance, const Run& run) {
  const std::size_t n = problem.targets.size();
  if (n == 0 || problem.gram.rows() != static_cast<Index>(n) || problem.gram.columns() != static_cast<Index>(n) ||
      problem.bounds.size() != n || !(problem.price > 0)) {
    throw InvalidArgument("the scale of Huber's loss: matrix, targets and bounds are not of one length, " +
                          std::to_string(n) + ", or the price is not positive");
  }
  // A constant in the targets is the offset's.
  const auto [least, largest] = std::ranges::minmax(problem.targets);
  const double half_range = largest / 2 - least / 2;
  const double middle = least + half_range;
  if (!(half_range > 0)) {
    const std::vector<double> zeros(n, 0.0);
    return {.coefficients = zeros, .values = zeros, .offset = middle};
  }
  std::vector<double> rest(problem.targets.begin(), problem.targets.end());
  for (double& y : rest) {
    y -= middle;
  }
  HuberScale centered = problem;
  centered.targets = rest;
  HuberScaleSolution solution = HuberScaleSolver(centered, run).solve(half_range, tolerance);
  solution.offset += middle;
  return solution;
}

}  // namespace mercer
