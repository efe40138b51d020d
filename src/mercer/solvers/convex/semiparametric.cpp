#include "mercer/solvers/convex/semiparametric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/least_norm.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/convex/program/mirrored_quadratic.h"

namespace mercer {

namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();
constexpr double interior_tolerance = 1e-9;  // of the iteration: digits cost little there
constexpr double proven = 1e-12;             // a gap that is as good as any
constexpr int most_rounds = 100;
constexpr double most_factorizations = 20;  // of the whole matrix
constexpr Index most_iterations = 200;

enum class Loss { hinge, tube };

// Where a coefficient is: 0, between the bounds, at C.
enum class RowState { zero, free, bound };

struct Point {
  std::vector<double> beta;
  std::vector<double> free;
  std::vector<double> priced;
};

std::vector<double> negative(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  scale(-1.0, std::span<double>(result));
  return result;
}

// Everything in the signed coefficients β, whatever variables the programme has.
class Machine {
 public:
  Machine(const SemiparametricRows& rows, const SemiparametricTargets& targets, Loss loss, double epsilon,
          const Run& run)
      : rows_(rows), y_(targets.values), bounds_(targets.bounds), loss_(loss), epsilon_(epsilon), run_(run) {
    for (const double y : y_) {
      unit_ = std::max(unit_, std::abs(y));
    }
  }

  SemiparametricSolution solve(double tolerance) const;

 private:
  Index size() const { return static_cast<Index>(y_.size()); }
  ConvexSolution interior_point(const std::shared_ptr<const DenseQuadratic>& gram) const;
  std::vector<double> signed_coefficients(std::span<const double> x) const;
  double lowest(Index i) const { return loss_ == Loss::tube || y_[i] < 0 ? -bounds_[i] : 0.0; }
  double highest(Index i) const { return loss_ == Loss::tube || y_[i] > 0 ? bounds_[i] : 0.0; }
  bool is_free(Index i, double beta) const { return beta != 0 && beta > lowest(i) && beta < highest(i); }
  std::vector<double> active(std::vector<double> priced, std::span<const double> beta) const;
  double edge(Index i, double side) const;
  double side_of(Index i, double beta, double f) const;
  std::vector<RowState> states_of(std::vector<double>& beta, std::span<const double> values) const;
  bool walk(std::vector<RowState>& states, Point& point, const Point& target) const;
  bool release(std::vector<RowState>& states, std::vector<double>& beta, std::span<const double> values) const;
  bool polish(std::span<const RowState> states, Point& point, const DenseQuadratic& gram) const;
  std::vector<double> function_values(const Point& point, const DenseQuadratic& gram) const;
  std::vector<double> constraint_sums(std::span<const double> beta, std::span<const double> priced) const;
  void meet_constraints(std::vector<double>& beta, std::span<const double> priced) const;
  SemiparametricSolution judged(const Point& point, const DenseQuadratic& gram) const;
  double row_loss(Index i, double f) const;
  double outside(Index i, double beta, double f) const;
  double violation(Index i, double beta, double f) const;

  const SemiparametricRows& rows_;
  std::span<const double> y_;
  std::span<const double> bounds_;
  Loss loss_;
  double epsilon_;
  double unit_ = std::numeric_limits<double>::min();  // of f
  const Run& run_;
};

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

// A row inside of the margin or tube has β = 0, one outside β = C: which of them is where shows in how far β is from the
// bound and the row from the edge, each in its own unit; the barrier keeps the product of the two small.
std::vector<RowState> Machine::states_of(std::vector<double>& beta, std::span<const double> values) const {
  std::vector<RowState> states;
  for (Index i = 0; i < size(); ++i) {
    double& value = beta[i];
    value = std::clamp(value, lowest(i), highest(i));
    const double way = outside(i, value, values[i]) / unit_;
    const double side = side_of(i, value, values[i]);
    if (bounds_[i] == 0 || std::abs(value) <= bounds_[i] * std::max(-way, 1e-13)) {
      states.push_back(RowState::zero);
      value = 0;
    } else if (bounds_[i] - std::abs(value) <= bounds_[i] * std::max(way, 1e-13)) {
      states.push_back(RowState::bound);
      value = side * bounds_[i];
    } else {
      states.push_back(RowState::free);
    }
  }
  return states;
}

// As far from the point to the target as the box allows: the row that ends the way stays at its bound. Whether it was reached.
bool Machine::walk(std::vector<RowState>& states, Point& point, const Point& target) const {
  double share = 1;
  Index stops = -1;
  for (Index i = 0; i < size(); ++i) {
    if (states[i] != RowState::free) {
      continue;
    }
    const double from = std::abs(point.beta[i]);
    const double to = std::copysign(1.0, point.beta[i]) * target.beta[i];
    const double reach = to < 0 ? from / (from - to) : to > bounds_[i] ? (bounds_[i] - from) / (to - from) : 1.0;
    if (reach < share) {
      share = reach;
      stops = i;
    }
  }
  const auto move = [share](std::vector<double>& from, const std::vector<double>& to) {
    for (std::size_t k = 0; k < from.size(); ++k) {
      from[k] += share * (to[k] - from[k]);
    }
  };
  move(point.beta, target.beta);
  move(point.free, target.free);
  move(point.priced, target.priced);
  if (stops < 0) {
    return true;
  }
  const bool at_zero = std::abs(point.beta[stops]) < 0.5 * bounds_[stops];
  states[stops] = at_zero ? RowState::zero : RowState::bound;
  point.beta[stops] = at_zero ? 0.0 : std::copysign(bounds_[stops], point.beta[stops]);
  return false;
}

// The row at a bound that is farthest on the wrong side of its edge becomes free; false where there is none.
bool Machine::release(std::vector<RowState>& states, std::vector<double>& beta, std::span<const double> values) const {
  double worst = 1e-11 * unit_;
  Index chosen = -1;
  for (Index i = 0; i < size(); ++i) {
    if (bounds_[i] == 0 || states[i] == RowState::free) {
      continue;
    }
    const double way = outside(i, beta[i], values[i]);
    const double wrong = states[i] == RowState::zero ? way : -way;
    if (wrong > worst) {
      worst = wrong;
      chosen = i;
    }
  }
  if (chosen < 0) {
    return false;
  }
  // A side to be on: how far, the next step finds.
  beta[chosen] = states[chosen] == RowState::zero ? side_of(chosen, 0, values[chosen]) * 1e-14 * bounds_[chosen]
                                                  : beta[chosen] * (1 - 1e-14);
  states[chosen] = RowState::free;
  return true;
}

// Newton's step for the free coefficients and the functions, the others where they are,
//
//   K_FF Δβ + B_F Δc = edge − f,   B_FᵀΔβ = −(Bᵀβ − b),     B: Φ and the functions Ψ whose coefficient is not 0
//
// three times. A shift of the diagonal, which the repetition takes back, is for rows that are repeated. False where that
// does not work out.
bool Machine::polish(std::span<const RowState> states, Point& point, const DenseQuadratic& gram) const {
  std::vector<Index> rows;
  for (Index i = 0; i < size(); ++i) {
    if (states[i] == RowState::free) {
      rows.push_back(i);
    }
  }
  const auto count = static_cast<Index>(rows.size());
  if (count == 0) {
    return true;
  }
  std::vector<Index> columns;  // of (Φ, Ψ)
  for (Index p = 0; p < rows_.free.columns() + rows_.priced.columns(); ++p) {
    if (p < rows_.free.columns() || point.priced[p - rows_.free.columns()] != 0) {
      columns.push_back(p);
    }
  }
  const auto functions = static_cast<Index>(columns.size());
  Matrix<double> a(count, count);
  double largest = 0;
  for (Index k = 0; k < count; ++k) {
    for (Index l = 0; l <= k; ++l) {
      a(k, l) = rows_.gram(rows[k], rows[l]);
    }
    largest = std::max(largest, a(k, k));
  }
  for (Index k = 0; k < count; ++k) {
    a(k, k) += 1e-11 * largest;
  }
  Matrix<double> b(count, functions);
  for (Index k = 0; k < count; ++k) {
    for (Index c = 0; c < functions; ++c) {
      b(k, c) = columns[c] < rows_.free.columns() ? rows_.free(rows[k], columns[c])
                                                  : rows_.priced(rows[k], columns[c] - rows_.free.columns());
    }
  }
  if (!try_cholesky<double>(a.view(), run_).ok) {
    return false;
  }
  Matrix<double> inverse_b = Matrix<double>::copy_of(b.view());
  Matrix<double> schur = Matrix<double>::filled(functions, functions, 0.0);
  if (functions > 0) {
    cholesky_solve<double>(a.view(), inverse_b.view(), run_);
    gemm(1.0, b.view(), Transpose::yes, inverse_b.view(), Transpose::no, 0.0, schur.view());
    double trace = 0;
    for (Index c = 0; c < functions; ++c) {
      trace += schur(c, c);
    }
    for (Index c = 0; c < functions; ++c) {
      schur(c, c) += 1e-13 * trace;
    }
    if (!try_cholesky<double>(schur.view(), run_).ok) {
      return false;
    }
  }
  std::vector<double> sides;
  for (const Index i : rows) {
    sides.push_back(side_of(i, point.beta[i], y_[i]));
  }
  for (int pass = 0; pass < 3; ++pass) {
    const std::vector<double> values = function_values(point, gram);
    const std::vector<double> sums = constraint_sums(point.beta, point.priced);
    Matrix<double> step(count, 1);
    for (Index k = 0; k < count; ++k) {
      step(k, 0) = edge(rows[k], sides[k]) - values[rows[k]];
    }
    cholesky_solve<double>(a.view(), step.view(), run_);
    if (functions > 0) {
      // S Δc = BᵀA⁻¹r + (Bᵀβ − b), Δβ = A⁻¹r − A⁻¹B Δc.
      Matrix<double> change(functions, 1);
      for (Index c = 0; c < functions; ++c) {
        change(c, 0) = sums[columns[c]];
      }
      gemm(1.0, b.view(), Transpose::yes, step.view(), Transpose::no, 1.0, change.view());
      cholesky_solve<double>(schur.view(), change.view(), run_);
      gemm(-1.0, inverse_b.view(), Transpose::no, change.view(), Transpose::no, 1.0, step.view());
      for (Index c = 0; c < functions; ++c) {
        const Index p = columns[c];
        (p < rows_.free.columns() ? point.free[p] : point.priced[p - rows_.free.columns()]) += change(c, 0);
      }
    }
    for (Index k = 0; k < count; ++k) {
      point.beta[rows[k]] += step(k, 0);
    }
  }
  return true;
}

// Φᵀβ, and of the functions whose coefficient is not 0 what is missing to the end of their range.
std::vector<double> Machine::constraint_sums(std::span<const double> beta, std::span<const double> priced) const {
  std::vector<double> sums;
  for (Index p = 0; p < rows_.free.columns(); ++p) {
    double sum = 0;
    for (Index i = 0; i < size(); ++i) {
      sum += rows_.free(i, p) * beta[i];
    }
    sums.push_back(sum);
  }
  for (Index p = 0; p < rows_.priced.columns(); ++p) {
    double sum = 0;
    for (Index i = 0; i < size() && priced[p] != 0; ++i) {
      sum += rows_.priced(i, p) * beta[i];
    }
    sums.push_back(priced[p] == 0 ? 0.0 : sum - std::copysign(1.0, priced[p]));
  }
  return sums;
}

// The least change of free coefficients with which the equalities hold, twice for the last digits. Where the free ones
// are too few, all others are as they are at a solution, and so are the sums.
void Machine::meet_constraints(std::vector<double>& beta, std::span<const double> priced) const {
  std::vector<Index> free;
  for (Index i = 0; i < size(); ++i) {
    if (is_free(i, beta[i])) {
      free.push_back(i);
    }
  }
  const Index functions = rows_.free.columns() + rows_.priced.columns();
  if (free.empty() || functions == 0) {
    return;
  }
  LeastNormWorkspace workspace;
  const auto rows = static_cast<Index>(free.size());
  for (int pass = 0; pass < 3; ++pass) {
    const std::vector<double> missing = negative(constraint_sums(beta, priced));
    // Rows of zeros make it tall where there are more functions than free rows.
    Matrix<double> transposed = Matrix<double>::filled(functions, std::max(rows, functions), 0.0);
    for (Index k = 0; k < rows; ++k) {
      for (Index p = 0; p < rows_.free.columns(); ++p) {
        transposed(p, k) = rows_.free(free[k], p);
      }
      for (Index p = 0; p < rows_.priced.columns(); ++p) {
        transposed(rows_.free.columns() + p, k) = priced[p] == 0 ? 0.0 : rows_.priced(free[k], p);
      }
    }
    std::vector<double> change(static_cast<std::size_t>(transposed.columns()));
    least_norm_functional(transposed.view(), missing, 1e-12, change, workspace);
    for (Index k = 0; k < rows; ++k) {
      beta[free[k]] = std::clamp(beta[free[k]] + change[k], lowest(free[k]), highest(free[k]));
    }
  }
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
  solution.relative_gap = std::abs(solution.primal - solution.dual) / size_of_values;
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

void require_shapes(const SemiparametricRows& rows, const SemiparametricTargets& targets) {
  const auto n = static_cast<Index>(targets.values.size());
  if (rows.gram.rows() != n || rows.gram.columns() != n || static_cast<Index>(targets.bounds.size()) != n ||
      (rows.free.columns() > 0 && rows.free.rows() != n) || (rows.priced.columns() > 0 && rows.priced.rows() != n)) {
    throw InvalidArgument("semiparametric machine: matrix, functions, targets and bounds are not of one length, " +
                          std::to_string(n));
  }
}

}  // namespace

SemiparametricSolution solve_semiparametric_svc(const SemiparametricRows& rows, const SemiparametricTargets& targets,
                                                double tolerance, const Run& run) {
  require_shapes(rows, targets);
  return Machine(rows, targets, Loss::hinge, 0.0, run).solve(tolerance);
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
  SemiparametricSolution solution = Machine(rows, {rest, targets.bounds}, Loss::tube, epsilon, run).solve(tolerance);
  for (Index p = 0; p < rows.free.columns(); ++p) {
    solution.free[p] += taken[p];
  }
  for (Index i = 0; i < static_cast<Index>(rest.size()); ++i) {
    solution.values[i] += taken_at(i);
  }
  return solution;
}

}  // namespace mercer
