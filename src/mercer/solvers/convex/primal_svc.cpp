#include "mercer/solvers/convex/primal_svc.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/offset_interval.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"

namespace mercer {

namespace {

// What the method leaves of a coefficient that is 0, as a part of the largest.
constexpr double primal_rounding = 1e-9;
// How much more of the objective the function may cost than the method's own point, in units of its tolerance.
constexpr double function_gap = 100;

std::vector<Index> priced_rows(std::span<const double> signs, std::span<const double> bounds, Index size) {
  if (static_cast<Index>(signs.size()) != size || static_cast<Index>(bounds.size()) != size) {
    throw InvalidArgument(std::to_string(signs.size()) + " signs and " + std::to_string(bounds.size()) +
                          " bounds for " + std::to_string(size) + " samples");
  }
  std::vector<Index> rows;
  bool positive = false;
  bool negative = false;
  for (Index i = 0; i < size; ++i) {
    if (!(bounds[i] >= 0 && std::isfinite(bounds[i]))) {
      reject_argument("bound of a coefficient", bounds[i], "finite and not negative");
    }
    if (bounds[i] > 0) {
      rows.push_back(i);
      (signs[i] > 0 ? positive : negative) = true;
    }
  }
  if (!positive || !negative) {
    throw InvalidArgument("a classifier needs samples of two classes, these are all of one");
  }
  return rows;
}

// Variables α, ξ, b over the rows that cost something; `signed_kernel` is y_i y_j K_ij of these.
struct PrimalProgram {
  PrimalProgram(ConstMatrixView<double> signed_kernel, std::span<const double> signs, std::span<const double> costs)
      : n(signed_kernel.rows()), margins(Matrix<double>::filled(n, 2 * n + 1, 0.0)) {
    Matrix<double> quadratic = Matrix<double>::filled(2 * n + 1, 2 * n + 1, 0.0);
    for (Index i = 0; i < n; ++i) {
      std::copy_n(signed_kernel.row_data(i), n, quadratic.view().row_data(i));
      std::copy_n(signed_kernel.row_data(i), n, margins.view().row_data(i));
      margins(i, n + i) = 1;
      margins(i, 2 * n) = signs[i];
    }
    program.quadratic = std::make_shared<DenseQuadratic>(std::move(quadratic));
    program.linear.assign(static_cast<std::size_t>(2 * n + 1), 0.0);
    std::copy(costs.begin(), costs.end(), program.linear.begin() + n);
    program.range = margins.view();
    program.range_lower.assign(static_cast<std::size_t>(n), 1.0);
    program.lower.assign(static_cast<std::size_t>(2 * n + 1), 0.0);
    program.lower.back() = -std::numeric_limits<double>::infinity();
  }

  Index n;
  Matrix<double> margins;
  ConvexProgram program;
};

SolveStatus status_of(ProgramStatus status) {
  switch (status) {
    case ProgramStatus::converged:
      return SolveStatus::converged;
    case ProgramStatus::iteration_limit:
      return SolveStatus::iteration_limit;
    case ProgramStatus::infeasible:
    case ProgramStatus::unbounded:
    case ProgramStatus::stalled:
      break;
  }
  return SolveStatus::stalled;
}

struct ValueOfFunction {
  double primal;
  double norm;  // Σ β_i β_j K_ij
};

// Between 0 and C, and as much of one class as of the other.
std::vector<double> dual_coefficients(std::span<const double> multipliers, std::span<const double> signs,
                                      std::span<const double> costs) {
  std::vector<double> result;
  double positive = 0;
  double negative = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    result.push_back(std::clamp(multipliers[i], 0.0, costs[i]));
    (signs[i] > 0 ? positive : negative) += result.back();
  }
  for (std::size_t i = 0; i < signs.size(); ++i) {
    const double own = signs[i] > 0 ? positive : negative;
    result[i] *= own > 0 ? std::min(1.0, (signs[i] > 0 ? negative : positive) / own) : 0.0;
  }
  return result;
}

double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

// A slack per row that costs something.
OffsetInterval cheapest_offsets_of_rows(std::span<const double> values, std::span<const double> signs,
                                        std::span<const double> bounds) {
  std::vector<Index> groups;
  std::vector<double> costs;
  for (const double bound : bounds) {
    groups.push_back(bound > 0 ? static_cast<Index>(costs.size()) : Index{-1});
    if (bound > 0) {
      costs.push_back(bound);
    }
  }
  return cheapest_offsets(values, signs, groups, costs);
}

double value_of(const SvmDual& dual, std::span<const double> signs, std::span<const double> bounds) {
  double norm = 0;
  double losses = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    norm += dual.coefficients[i] * dual.values[i];
    losses += bounds[i] * std::max(0.0, 1 - signs[i] * (dual.values[i] + dual.offset));
  }
  return norm / 2 + losses;
}

}  // namespace

template <class T>
SvmDual solve_primal_svc(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                         double tolerance, const Run& run) {
  const std::vector<Index> rows = priced_rows(signs, bounds, gram.size());
  const auto n = static_cast<Index>(rows.size());
  const Index size = gram.size();
  Matrix<T> kernel(size, size);
  gram.tile({0, size}, {0, size}, kernel.view());
  // In units in which k(x, x) is 1 in the mean: α, C and the objective have its inverse.
  double unit = 0;
  for (const Index row : rows) {
    unit += static_cast<double>(kernel(row, row)) / static_cast<double>(n);
  }
  unit = unit > 0 && std::isfinite(unit) ? unit : 1.0;
  Matrix<double> signed_kernel(n, n);
  std::vector<double> some_signs;
  std::vector<double> costs;
  for (Index i = 0; i < n; ++i) {
    some_signs.push_back(signs[rows[i]]);
    costs.push_back(bounds[rows[i]] * unit);
    for (Index j = 0; j < n; ++j) {
      // The lower triangle for both: symmetric to the last bit.
      const auto value = static_cast<double>(kernel(rows[std::max(i, j)], rows[std::min(i, j)]));
      signed_kernel(i, j) = signs[rows[i]] * signs[rows[j]] * (value / unit);
    }
  }
  const PrimalProgram written(signed_kernel.view(), some_signs, costs);
  const ConvexSolution found =
      solve_convex_program(written.program, {.tolerance = tolerance, .certificates = Certificates::off}, run);
  SvmDual dual;
  dual.status = status_of(found.status);
  dual.steps = found.iterations;
  dual.rounds = 1;
  dual.offset = found.point.x.back();
  // What the function of n coefficients itself costs: the method's own slacks are right to its tolerance, and large prices ask
  // for more.
  const auto function_of = [&](std::span<const double> alpha, double least) {
    dual.coefficients.assign(static_cast<std::size_t>(size), 0.0);
    dual.values.assign(static_cast<std::size_t>(size), 0.0);
    for (Index i = 0; i < n; ++i) {
      dual.coefficients[rows[i]] = alpha[i] > least ? signs[rows[i]] * alpha[i] / unit : 0.0;
    }
    double norm = 0;
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j) {
        dual.values[i] += static_cast<double>(kernel(i, j)) * dual.coefficients[j];
      }
      norm += dual.coefficients[i] * dual.values[i];
    }
    return ValueOfFunction{value_of(dual, signs, bounds), norm};
  };
  // The multipliers μ of the margins are coefficients of the dual problem and prove Σμ − ½ Σ μ_i μ_j y_i y_j K_ij. They are
  // a solution of this one, too, which is the better one where α is so large that its function is rounding.
  const std::vector<double> multipliers = dual_coefficients(found.point.range_multipliers, some_signs, costs);
  const ValueOfFunction of_multipliers = function_of(multipliers, 0);
  const double sum = std::accumulate(multipliers.begin(), multipliers.end(), 0.0) / unit;
  const double part = of_multipliers.norm > 0 ? std::min(1.0, sum / of_multipliers.norm) : 1.0;
  dual.objective = part * part * of_multipliers.norm / 2 - part * sum;
  const std::span<const double> alpha = std::span(found.point.x).first(static_cast<std::size_t>(n));
  double primal = function_of(alpha, 0).primal;
  const double least = primal_rounding * *std::ranges::max_element(alpha);
  if (of_multipliers.primal < primal) {
    primal = function_of(multipliers, 0).primal;
  } else if (const double sparser = function_of(alpha, least).primal; sparser <= primal * (1 + tolerance)) {
    primal = sparser;
  } else {
    primal = function_of(alpha, 0).primal;
  }
  // Where no row is on the margin any offset of an interval is as good: the middle, as of the dual.
  const OffsetInterval offsets = cheapest_offsets_of_rows(dual.values, signs, bounds);
  if (offsets.is_open(std::max(1.0, largest_of(dual.values)))) {
    dual.offset = offsets.middle();
    primal = value_of(dual, signs, bounds);
  }
  dual.variables = dual.coefficients;
  dual.gap = std::max(0.0, primal + dual.objective) / primal;
  if (dual.status == SolveStatus::converged && !(dual.gap <= function_gap * tolerance)) {
    dual.status = SolveStatus::stalled;
  }
  return dual;
}

template SvmDual solve_primal_svc(const Gram<float>&, std::span<const double>, std::span<const double>, double,
                                  const Run&);
template SvmDual solve_primal_svc(const Gram<double>&, std::span<const double>, std::span<const double>, double,
                                  const Run&);

}  // namespace mercer
