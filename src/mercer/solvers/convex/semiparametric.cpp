#include "mercer/solvers/convex/semiparametric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/mirrored_quadratic.h"
#include "mercer/solvers/convex/semiparametric_dual.h"

namespace mercer {

namespace semiparametric {

namespace {

constexpr double interior_tolerance = 1e-9;  // of the iteration: digits cost little there
constexpr double rounding_of_ranges = 1e-9;
constexpr double proven = 1e-12;  // a gap that is as good as any
constexpr int most_rounds = 100;
constexpr double most_factorizations = 20;  // of the whole matrix
constexpr Index most_iterations = 200;

// Rows of constraints, one per function; with the mirrored half for the two sides of a tube.
Matrix<double> constraint_rows(ConstMatrixView<double> functions, Loss loss) {
  const Index n = functions.rows();
  Matrix<double> rows(functions.columns(), loss == Loss::tube ? 2 * n : n);
  for (Index p = 0; p < functions.columns(); ++p) {
    for (Index i = 0; i < n; ++i) {
      rows(p, i) = functions(i, p);
      if (loss == Loss::tube) {
        rows(p, n + i) = -functions(i, p);
      }
    }
  }
  return rows;
}

}  // namespace

std::vector<double> negative(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  scale(-1.0, std::span<double>(result));
  return result;
}

ConvexSolution Machine::interior_point(const std::shared_ptr<const DenseQuadratic>& gram) const {
  const Index n = size();
  const Matrix<double> equality = constraint_rows(rows_.free, loss_);
  const Matrix<double> range = constraint_rows(rows_.priced, loss_);
  ConvexProgram program{.quadratic = gram,
                        .equality = equality.view(),
                        .equality_values = std::vector<double>(equality.rows(), 0.0),
                        .range = range.view(),
                        .range_lower = std::vector<double>(range.rows(), -1.0),
                        .range_upper = std::vector<double>(range.rows(), 1.0)};
  for (Index i = 0; i < n; ++i) {
    program.linear.push_back(loss_ == Loss::tube ? epsilon_ - y_[i] : -y_[i]);
    program.lower.push_back(loss_ == Loss::tube ? 0.0 : lowest(i));
    program.upper.push_back(highest(i));
  }
  if (loss_ == Loss::tube) {
    program.quadratic = std::make_shared<MirroredQuadratic>(gram);
    for (Index i = 0; i < n; ++i) {
      program.linear.push_back(epsilon_ + y_[i]);
      program.lower.push_back(0.0);
      program.upper.push_back(bounds_[i]);
    }
  }
  return solve_convex_program(
      program, {.tolerance = interior_tolerance, .max_iterations = most_iterations, .certificates = Certificates::off},
      run_);
}

std::vector<double> Machine::signed_coefficients(std::span<const double> x) const {
  const auto n = static_cast<std::size_t>(size());
  std::vector<double> beta(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 0; loss_ == Loss::tube && i < n; ++i) {
    beta[i] -= x[n + i];
  }
  return beta;
}

double Machine::edge(Index i, double side) const { return loss_ == Loss::hinge ? y_[i] : y_[i] - side * epsilon_; }

double Machine::side_of(Index i, double beta, double f) const {
  if (loss_ == Loss::hinge) {
    return y_[i] > 0 ? 1.0 : -1.0;
  }
  return beta != 0 ? std::copysign(1.0, beta) : y_[i] > f ? 1.0 : -1.0;
}

// How far outside of the margin, or of the tube on the side that β stands for, the nearer one where it is 0.
double Machine::outside(Index i, double beta, double f) const {
  const double side = side_of(i, beta, f);
  return side * (edge(i, side) - f);
}

double Machine::row_loss(Index i, double f) const {
  return loss_ == Loss::hinge ? std::max(0.0, 1 - y_[i] * f) : std::max(0.0, std::abs(y_[i] - f) - epsilon_);
}

// β = 0: inside; at the bound C: outside; between them on the edge.
double Machine::violation(Index i, double beta, double f) const {
  if (bounds_[i] == 0) {
    return 0;
  }
  const double way = outside(i, beta, f);
  const double size = std::abs(beta);
  return std::max(size < bounds_[i] ? way : 0.0, size > 0 ? -way : 0.0);
}

std::vector<double> Machine::function_values(const Point& point, const DenseQuadratic& gram) const {
  std::vector<double> values(point.beta.size());
  gram.multiply(point.beta, values, run_);
  for (Index i = 0; i < size(); ++i) {
    for (Index p = 0; p < rows_.free.columns(); ++p) {
      values[i] += rows_.free(i, p) * point.free[p];
    }
    for (Index p = 0; p < rows_.priced.columns(); ++p) {
      values[i] += rows_.priced(i, p) * point.priced[p];
    }
  }
  return values;
}

// By how much a range −1 ≤ Ψᵀβ ≤ 1 is missed: β divided by 1 plus this is a point of the dual.
double Machine::range_excess(std::span<const double> beta) const {
  double excess = 0;
  for (Index p = 0; p < rows_.priced.columns(); ++p) {
    double sum = 0;
    for (Index i = 0; i < size(); ++i) {
      sum += rows_.priced(i, p) * beta[i];
    }
    excess = std::max(excess, std::abs(sum) - 1);
  }
  return excess > rounding_of_ranges ? excess : 0.0;
}

SemiparametricSolution Machine::judged(const Point& point, const DenseQuadratic& gram) const {
  const std::vector<double>& beta = point.beta;
  SemiparametricSolution solution;
  solution.values = function_values(point, gram);
  std::vector<double> products(beta.size());
  gram.multiply(beta, products, run_);
  double norm = 0;
  double linear = 0;
  for (Index i = 0; i < size(); ++i) {
    norm += beta[i] * products[i];
    linear += y_[i] * beta[i] - epsilon_ * std::abs(beta[i]);
  }
  double loss = 0;
  double unit = 0;  // what a fit that is wrong everywhere would cost
  for (Index i = 0; i < size(); ++i) {
    loss += bounds_[i] * row_loss(i, solution.values[i]);
    unit += bounds_[i] * (std::abs(y_[i]) + epsilon_);
    solution.violation = std::max(solution.violation, violation(i, beta[i], solution.values[i]));
    solution.bounded += bounds_[i] > 0 && std::abs(beta[i]) == bounds_[i] ? 1 : 0;
  }
  for (const double delta : point.priced) {
    loss += std::abs(delta);
  }
  solution.primal = norm / 2 + loss;
  solution.dual = linear - norm / 2;
  const double size_of_values =
      std::max({std::abs(solution.primal), std::abs(solution.dual), 1e-6 * unit, std::numeric_limits<double>::min()});
  solution.relative_gap = std::abs(solution.primal - solution.dual) / size_of_values + range_excess(beta);
  solution.coefficients = point.beta;
  solution.free = point.free;
  solution.priced = point.priced;
  return solution;
}

// The multiplier of a range is 0 inside of it; there the barrier leaves a little, that is small beside the way to the end
// where each is measured in its own unit.
std::vector<double> Machine::active(std::vector<double> priced, std::span<const double> beta) const {
  for (Index p = 0; p < rows_.priced.columns(); ++p) {
    double sum = 0;
    double largest = 0;
    for (Index i = 0; i < size(); ++i) {
      sum += rows_.priced(i, p) * beta[i];
      largest = std::max(largest, std::abs(rows_.priced(i, p)));
    }
    const bool is_inside = (1 - std::abs(sum)) * unit_ > std::abs(priced[p]) * largest;
    priced[p] = is_inside ? 0.0 : priced[p];
  }
  return priced;
}

// The interior point's answer, and what Newton's method on its active rows makes of it: exact where these are right, and so
// is the one with the smaller gap.
SemiparametricSolution Machine::solve(double tolerance) const {
  const auto gram = std::make_shared<const DenseQuadratic>(rows_.gram);
  const ConvexSolution found = interior_point(gram);
  Point point{.beta = signed_coefficients(found.point.x),
              .free = negative(found.point.equality_multipliers),
              .priced = negative(found.point.range_multipliers)};
  point.priced = active(std::move(point.priced), point.beta);
  SemiparametricSolution best = judged(point, *gram);
  std::vector<RowState> states = states_of(point.beta, best.values);
  Point rounded = point;
  meet_constraints(rounded.beta, rounded.priced);
  if (SemiparametricSolution candidate = judged(rounded, *gram);
      candidate.relative_gap <= std::max(best.relative_gap, interior_tolerance)) {
    best = std::move(candidate);
  }
  // Active rows one by one: every step goes as far as the box allows, and ends where all rows are on their sides.
  point = std::move(rounded);
  double work = 0;  // no more than the interior point itself
  const auto n = static_cast<double>(size());
  for (int round = 0; round < most_rounds && work < most_factorizations * n * n * n; ++round) {
    work += std::pow(static_cast<double>(std::ranges::count(states, RowState::free)), 3);
    Point target = point;
    if (!polish(states, target, *gram)) {
      break;
    }
    if (!walk(states, point, target)) {
      continue;
    }
    Point met = point;
    meet_constraints(met.beta, met.priced);
    SemiparametricSolution candidate = judged(met, *gram);
    const std::vector<double> values = candidate.values;
    if (candidate.relative_gap <= std::max(best.relative_gap, proven)) {
      best = std::move(candidate);
    }
    if (!release(states, point.beta, values)) {
      break;
    }
  }
  if (!std::isfinite(best.primal) || !std::isfinite(best.dual)) {
    throw NumericalError("the interior point found no solution: " + found.message);
  }
  best.iterations = found.iterations;
  best.status = best.relative_gap <= tolerance                   ? SolveStatus::converged
                : found.status == ProgramStatus::iteration_limit ? SolveStatus::iteration_limit
                                                                 : SolveStatus::stalled;
  return best;
}

}  // namespace semiparametric

namespace {

void require_shapes(const SemiparametricRows& rows, const SemiparametricTargets& targets) {
  const auto n = static_cast<Index>(targets.values.size());
  if (rows.gram.rows() != n || rows.gram.columns() != n || static_cast<Index>(targets.bounds.size()) != n ||
      (rows.free.columns() > 0 && rows.free.rows() != n) || (rows.priced.columns() > 0 && rows.priced.rows() != n)) {
    throw InvalidArgument("semiparametric machine: matrix, functions, targets and bounds are not of one length, " +
                          std::to_string(n));
  }
}

// Functions that cost nothing and leave no row outside of the tube: an objective of 0, which nothing is below.
template <class Value>
SemiparametricSolution within_the_tube(const SemiparametricRows& rows, std::vector<double> free, Value value) {
  SemiparametricSolution solution;
  solution.coefficients.assign(rows.gram.rows(), 0.0);
  solution.free = std::move(free);
  solution.priced.assign(rows.priced.columns(), 0.0);
  for (Index i = 0; i < rows.gram.rows(); ++i) {
    solution.values.push_back(value(i));
  }
  return solution;
}

}  // namespace

SemiparametricSolution solve_semiparametric_svc(const SemiparametricRows& rows, const SemiparametricTargets& targets,
                                                double tolerance, const Run& run) {
  require_shapes(rows, targets);
  return semiparametric::Machine(rows, targets, semiparametric::Loss::hinge, 0.0, run).solve(tolerance);
}

SemiparametricSolution solve_semiparametric_svr(const SemiparametricRows& rows, const SemiparametricTargets& targets,
                                                double epsilon, double tolerance, const Run& run) {
  require_shapes(rows, targets);
  // What the free functions say of the targets by least squares is theirs: the rest has the size that the kernel deals with.
  std::vector<double> taken;
  for (Index p = 0; p < rows.free.columns(); ++p) {
    double product = 0;
    for (Index i = 0; i < rows.free.rows(); ++i) {
      product += rows.free(i, p) * targets.values[i];
    }
    taken.push_back(product);
  }
  const auto taken_at = [&](Index i) {
    double value = 0;
    for (Index p = 0; p < rows.free.columns(); ++p) {
      value += rows.free(i, p) * taken[p];
    }
    return value;
  };
  std::vector<double> rest(targets.values.begin(), targets.values.end());
  for (Index i = 0; i < static_cast<Index>(rest.size()); ++i) {
    rest[i] -= taken_at(i);
  }
  double farthest = 0;
  double largest = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    farthest = std::max(farthest, targets.bounds[i] > 0 ? std::abs(rest[i]) : 0.0);
    largest = std::max(largest, std::abs(targets.values[i]));
  }
  if (farthest <= epsilon + 64 * std::numeric_limits<double>::epsilon() * largest) {
    return within_the_tube(rows, taken, taken_at);
  }
  SemiparametricSolution solution =
      semiparametric::Machine(rows, {rest, targets.bounds}, semiparametric::Loss::tube, epsilon, run).solve(tolerance);
  for (Index p = 0; p < rows.free.columns(); ++p) {
    solution.free[p] += taken[p];
  }
  for (Index i = 0; i < static_cast<Index>(rest.size()); ++i) {
    solution.values[i] += taken_at(i);
  }
  return solution;
}

}  // namespace mercer
