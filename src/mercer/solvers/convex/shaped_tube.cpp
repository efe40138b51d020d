#include "mercer/solvers/convex/shaped_tube.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/convex/program/mirrored_quadratic.h"
#include "mercer/solvers/convex/tube_excess.h"

namespace mercer {

namespace {

constexpr double tube_tolerance = 1e-9;  // of the iteration: digits cost little there
constexpr Index most_tube_iterations = 200;
constexpr double next_to_a_bound = 1e-12;
constexpr double solved_programme = 1e-6;  // of the largest |y|: what the two sides of the least width may differ
constexpr double snapping = 1e-6;          // the largest gap with coefficients on their bounds
constexpr double infinite_bound = std::numeric_limits<double>::infinity();

// Where a coefficient is: 0, between the bounds, at C.
enum class TubeRow { inside, edge, outside };

struct TubePoint {
  std::vector<double> beta;
  double offset = 0;
  std::vector<double> widths;
};

class TubeSolver {
 public:
  TubeSolver(const ShapedTube& problem, const Run& run)
      : problem_(problem), run_(run), gram_(std::make_shared<DenseQuadratic>(problem.gram)) {
    for (const double y : problem.targets) {
      unit_ = std::max(unit_, std::abs(y));
    }
  }

  ShapedTubeSolution solve(double tolerance) const;

 private:
  Index size() const { return static_cast<Index>(problem_.targets.size()); }
  Index functions() const { return problem_.shapes.columns(); }
  double y(Index i) const { return problem_.targets[i]; }
  double bound(Index i) const { return problem_.bounds[i]; }
  double fixed(Index i) const { return problem_.fixed.empty() ? 0.0 : problem_.fixed[i]; }
  double width(Index i, const TubePoint& point) const;
  double spent(Index q, std::span<const double> beta) const;

  ConvexSolution interior_point(Certificates certificates) const;
  TubePoint point_of(const ConvexSolution& found) const;
  std::vector<double> values_of(const TubePoint& point) const;
  std::vector<TubeRow> snap(TubePoint& point) const;
  void balance(std::vector<double>& beta, std::span<const TubeRow> rows) const;
  bool polish(std::span<const TubeRow> rows, TubePoint& point) const;
  bool is_feasible(std::span<const TubeRow> rows, const TubePoint& from, const TubePoint& point) const;
  double dual_of(std::span<const double> beta, double norm) const;
  ShapedTubeSolution judged(const TubePoint& point) const;

  const ShapedTube& problem_;
  const Run& run_;
  std::shared_ptr<const DenseQuadratic> gram_;
  double unit_ = std::numeric_limits<double>::min();  // of f
};

double TubeSolver::width(Index i, const TubePoint& point) const {
  double sum = fixed(i);
  for (Index q = 0; q < functions(); ++q) {
    sum += point.widths[q] * problem_.shapes(i, q);
  }
  return sum;
}

// Σ|β|ζ_q.
double TubeSolver::spent(Index q, std::span<const double> beta) const {
  double sum = 0;
  for (Index i = 0; i < size(); ++i) {
    sum += std::abs(beta[i]) * problem_.shapes(i, q);
  }
  return sum;
}

ConvexSolution TubeSolver::interior_point(Certificates certificates) const {
  const Index n = size();
  Matrix<double> sums(1, 2 * n);
  Matrix<double> range(functions(), 2 * n);
  ConvexProgram program{.quadratic = std::make_shared<MirroredQuadratic>(gram_), .equality_values = {0.0}};
  for (const double side : {1.0, -1.0}) {
    for (Index i = 0; i < n; ++i) {
      const Index t = side > 0 ? i : n + i;
      program.linear.push_back(fixed(i) - side * y(i));
      program.lower.push_back(0.0);
      program.upper.push_back(bound(i));
      sums(0, t) = side;
      for (Index q = 0; q < functions(); ++q) {
        range(q, t) = problem_.shapes(i, q);
      }
    }
  }
  program.equality = sums.view();
  program.range = range.view();
  program.range_lower.assign(static_cast<std::size_t>(functions()), -infinite_bound);
  program.range_upper.assign(problem_.prices.begin(), problem_.prices.end());
  return solve_convex_program(
      program, {.tolerance = tube_tolerance, .max_iterations = most_tube_iterations, .certificates = certificates},
      run_);
}

TubePoint TubeSolver::point_of(const ConvexSolution& found) const {
  TubePoint point;
  for (Index i = 0; i < size(); ++i) {
    point.beta.push_back(found.point.x[i] - found.point.x[size() + i]);
  }
  point.offset = -found.point.equality_multipliers.front();
  for (const double multiplier : found.point.range_multipliers) {
    point.widths.push_back(std::max(0.0, -multiplier));
  }
  return point;
}

std::vector<double> TubeSolver::values_of(const TubePoint& point) const {
  std::vector<double> values(point.beta.size());
  gram_->multiply(point.beta, values, run_);
  return values;
}

// A row inside the tube has β = 0, one outside β = C: which of them is where shows in how far β is from the bound and the row
// from the edge, each in its own unit. Where the bound is infinite its unit is the largest |β|.
std::vector<TubeRow> TubeSolver::snap(TubePoint& point) const {
  const std::vector<double> values = values_of(point);
  double largest = 0;
  for (const double beta : point.beta) {
    largest = std::max(largest, std::abs(beta));
  }
  std::vector<TubeRow> rows;
  for (Index i = 0; i < size(); ++i) {
    const double limit = bound(i);
    double& beta = point.beta[i];
    beta = std::clamp(beta, -limit, limit);
    const double residual = y(i) - values[i] - point.offset;
    const double beyond = (std::copysign(1.0, beta) * residual - width(i, point)) / unit_;
    const double unit = std::isinf(limit) ? largest : limit;
    if (std::abs(beta) <= unit * std::max(-beyond, next_to_a_bound)) {
      rows.push_back(TubeRow::inside);
      beta = 0;
    } else if (limit - std::abs(beta) <= unit * std::max(beyond, next_to_a_bound)) {
      rows.push_back(TubeRow::outside);
      beta = std::copysign(limit, beta);
    } else {
      rows.push_back(TubeRow::edge);
    }
  }
  // A width that is next to nothing, with part of its price not spent.
  for (Index q = 0; q < functions(); ++q) {
    double size_of_shape = 0;
    for (Index i = 0; i < size(); ++i) {
      size_of_shape = std::max(size_of_shape, problem_.shapes(i, q));
    }
    const double left = 1 - spent(q, point.beta) / std::max(problem_.prices[q], std::numeric_limits<double>::min());
    if (point.widths[q] * size_of_shape <= unit_ * std::max(left, next_to_a_bound)) {
      point.widths[q] = 0;
    }
  }
  return rows;
}

// Σβ = 0 by the rows that may move, each in proportion to its way to the nearer bound.
void TubeSolver::balance(std::vector<double>& beta, std::span<const TubeRow> rows) const {
  for (int pass = 0; pass < 2; ++pass) {
    const double sum = std::accumulate(beta.begin(), beta.end(), 0.0);
    double room = 0;
    const auto way = [&](Index i) { return std::min(std::abs(beta[i]), bound(i) - std::abs(beta[i])); };
    for (Index i = 0; i < size(); ++i) {
      room += rows[i] == TubeRow::edge ? way(i) : 0.0;
    }
    if (room <= std::abs(sum)) {
      return;
    }
    for (Index i = 0; i < size(); ++i) {
      beta[i] -= rows[i] == TubeRow::edge ? sum * way(i) / room : 0.0;
    }
  }
}

// Newton's step of the rows F on an edge, of side s, with b and the widths A that are not 0, three times:
//
//   K_FF Δβ + Δb + S_F ζ_FA Δε = y − s w − f,   Σβ = 0,   Σ|β|ζ_q = B_q
//
// False where a factorization does not work out.
bool TubeSolver::polish(std::span<const TubeRow> rows, TubePoint& point) const {
  std::vector<Index> edge;
  std::vector<Index> active;
  for (Index i = 0; i < size(); ++i) {
    if (rows[i] == TubeRow::edge) {
      edge.push_back(i);
    }
  }
  for (Index q = 0; q < functions(); ++q) {
    if (point.widths[q] > 0) {
      active.push_back(q);
    }
  }
  const auto count = static_cast<Index>(edge.size());
  const auto unknowns = static_cast<Index>(active.size()) + 1;
  if (count < unknowns) {
    return false;
  }
  Matrix<double> kernel(count, count);
  Matrix<double> border(count, unknowns);
  double largest = 0;
  for (Index k = 0; k < count; ++k) {
    const double side = std::copysign(1.0, point.beta[edge[k]]);
    for (Index l = 0; l <= k; ++l) {
      kernel(k, l) = problem_.gram(edge[k], edge[l]);
    }
    largest = std::max(largest, kernel(k, k));
    border(k, 0) = 1;
    for (Index a = 1; a < unknowns; ++a) {
      border(k, a) = side * problem_.shapes(edge[k], active[a - 1]);
    }
  }
  for (Index k = 0; k < count; ++k) {
    kernel(k, k) += 1e-11 * largest;
  }
  if (!try_cholesky<double>(kernel.view(), run_).ok) {
    return false;
  }
  Matrix<double> solved = Matrix<double>::copy_of(border.view());
  cholesky_solve<double>(kernel.view(), solved.view(), run_);
  Matrix<double> schur = Matrix<double>::filled(unknowns, unknowns, 0.0);
  gemm(1.0, border.view(), Transpose::yes, solved.view(), Transpose::no, 0.0, schur.view());
  for (Index a = 0; a < unknowns; ++a) {
    schur(a, a) *= 1 + 1e-13;
  }
  if (!try_cholesky<double>(schur.view(), run_).ok) {
    return false;
  }
  for (int pass = 0; pass < 3; ++pass) {
    const std::vector<double> values = values_of(point);
    Matrix<double> step(count, 1);
    for (Index k = 0; k < count; ++k) {
      const Index i = edge[k];
      const double side = std::copysign(1.0, point.beta[i]);
      step(k, 0) = y(i) - side * width(i, point) - values[i] - point.offset;
    }
    cholesky_solve<double>(kernel.view(), step.view(), run_);
    Matrix<double> change(unknowns, 1);
    change(0, 0) = std::accumulate(point.beta.begin(), point.beta.end(), 0.0);
    for (Index a = 1; a < unknowns; ++a) {
      change(a, 0) = spent(active[a - 1], point.beta) - problem_.prices[active[a - 1]];
    }
    gemm(1.0, border.view(), Transpose::yes, step.view(), Transpose::no, 1.0, change.view());
    cholesky_solve<double>(schur.view(), change.view(), run_);
    gemm(-1.0, solved.view(), Transpose::no, change.view(), Transpose::no, 1.0, step.view());
    point.offset += change(0, 0);
    for (Index a = 1; a < unknowns; ++a) {
      point.widths[active[a - 1]] += change(a, 0);
    }
    for (Index k = 0; k < count; ++k) {
      point.beta[edge[k]] += step(k, 0);
    }
  }
  return true;
}

// Whether the rows on an edge are still between their bounds, on the side on which they were.
bool TubeSolver::is_feasible(std::span<const TubeRow> rows, const TubePoint& from, const TubePoint& point) const {
  for (Index i = 0; i < size(); ++i) {
    if (rows[i] == TubeRow::edge && !(from.beta[i] * point.beta[i] >= 0 && std::abs(point.beta[i]) <= bound(i))) {
      return false;
    }
  }
  return std::ranges::all_of(point.widths, [](double width) { return width >= 0; });
}

// The best value of the dual on the way from 0 to β, as far as the prices allow.
double TubeSolver::dual_of(std::span<const double> beta, double norm) const {
  double linear = 0;
  for (Index i = 0; i < size(); ++i) {
    linear += y(i) * beta[i] - fixed(i) * std::abs(beta[i]);
  }
  double share = 1;
  for (Index q = 0; q < functions(); ++q) {
    const double sum = spent(q, beta);
    share = sum > problem_.prices[q] ? std::min(share, problem_.prices[q] / sum) : share;
  }
  return share * linear - share * share * norm / 2;
}

ShapedTubeSolution TubeSolver::judged(const TubePoint& point) const {
  ShapedTubeSolution solution{
      .coefficients = point.beta, .values = values_of(point), .offset = point.offset, .widths = point.widths};
  double norm = 0;
  double loss = 0;
  double missed = 0;
  double unit = 0;  // what a fit that is wrong everywhere would cost
  for (Index i = 0; i < size(); ++i) {
    norm += point.beta[i] * solution.values[i];
    const double beyond = std::max(0.0, std::abs(y(i) - solution.values[i] - point.offset) - width(i, point));
    if (std::isinf(bound(i))) {
      missed = std::max(missed, beyond);
    } else {
      loss += bound(i) * beyond;
      unit += bound(i) * (std::abs(y(i)) + fixed(i));
    }
    solution.bounded += point.beta[i] != 0 && std::abs(point.beta[i]) == bound(i) ? 1 : 0;
  }
  for (Index q = 0; q < functions(); ++q) {
    loss += problem_.prices[q] * point.widths[q];
  }
  solution.primal = norm / 2 + loss;
  solution.dual = dual_of(point.beta, norm);
  const double scale =
      std::max({std::abs(solution.primal), std::abs(solution.dual), 1e-6 * unit, std::numeric_limits<double>::min()});
  solution.relative_gap = std::abs(solution.primal - solution.dual) / scale + missed / unit_;
  return solution;
}

ShapedTubeSolution TubeSolver::solve(double tolerance) const {
  ConvexSolution found = interior_point(Certificates::on);
  if (found.status != ProgramStatus::converged) {
    // A ray is one within rounding, in which a function of large coefficients may hide; and next to the least width none is found.
    const std::optional<double> excess = least_tube_excess(problem_, run_);
    if (excess && *excess > solved_programme * unit_) {
      ShapedTubeSolution none;
      none.iterations = found.iterations;
      none.status = SolveStatus::stalled;
      none.least_excess = excess;
      return none;
    }
    if (found.status == ProgramStatus::unbounded) {
      found = interior_point(Certificates::off);
    }
  }
  TubePoint point = point_of(found);
  ShapedTubeSolution best = judged(point);
  // What is on its bound is worth a few digits, which Newton's step gives back where the rows are the right ones.
  const auto keep = [&](const TubePoint& candidate, double allowed) {
    ShapedTubeSolution other = judged(candidate);
    const bool is_good = other.relative_gap <= std::max(best.relative_gap, allowed);
    if (is_good) {
      best = std::move(other);
    }
    return is_good;
  };
  const std::vector<TubeRow> rows = snap(point);
  balance(point.beta, rows);
  keep(point, std::min(tolerance, snapping));
  TubePoint exact = point;
  if (polish(rows, exact) && is_feasible(rows, point, exact)) {
    keep(exact, next_to_a_bound);
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

// A constant that is within the fixed widths of all targets: an objective of 0, which nothing is below.
std::optional<ShapedTubeSolution> constant_within(const ShapedTube& problem) {
  double lowest = -infinite_bound;
  double highest = infinite_bound;
  for (std::size_t i = 0; i < problem.targets.size(); ++i) {
    const double width = problem.fixed.empty() ? 0.0 : problem.fixed[i];
    lowest = std::max(lowest, problem.targets[i] - width);
    highest = std::min(highest, problem.targets[i] + width);
  }
  if (lowest > highest) {
    return std::nullopt;
  }
  const std::vector<double> zeros(problem.targets.size(), 0.0);
  return ShapedTubeSolution{.coefficients = zeros,
                            .values = zeros,
                            .offset = lowest + (highest - lowest) / 2,
                            .widths = std::vector<double>(static_cast<std::size_t>(problem.shapes.columns()), 0.0)};
}

void require_shapes(const ShapedTube& problem) {
  const auto n = static_cast<Index>(problem.targets.size());
  const Index functions = problem.shapes.columns();
  if (problem.gram.rows() != n || problem.gram.columns() != n || static_cast<Index>(problem.bounds.size()) != n ||
      (!problem.fixed.empty() && static_cast<Index>(problem.fixed.size()) != n) ||
      (functions > 0 && problem.shapes.rows() != n) || static_cast<Index>(problem.prices.size()) != functions) {
    throw InvalidArgument(
        "a tube of a given shape: matrix, targets, bounds, widths and shapes are not of one length, " +
        std::to_string(n));
  }
}

}  // namespace

ShapedTubeSolution solve_shaped_tube(const ShapedTube& problem, double tolerance, const Run& run) {
  require_shapes(problem);
  if (std::optional<ShapedTubeSolution> constant = constant_within(problem)) {
    return *std::move(constant);
  }
  // A constant in the targets is the offset's: the rest has the size that the tube deals with.
  const auto [least, largest] = std::ranges::minmax(problem.targets);
  const double middle = least + (largest - least) / 2;
  std::vector<double> rest(problem.targets.begin(), problem.targets.end());
  for (double& y : rest) {
    y -= middle;
  }
  ShapedTube centered = problem;
  centered.targets = rest;
  ShapedTubeSolution solution = TubeSolver(centered, run).solve(tolerance);
  solution.offset += middle;
  return solution;
}

}  // namespace mercer
