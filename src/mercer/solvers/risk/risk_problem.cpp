#include "mercer/solvers/risk/risk_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/run.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/risk/risk_dual_program.h"

namespace mercer {

void multiply_kernel(const RiskProblem& problem, std::span<const double> alpha, std::span<double> out) {
  if (!problem.has_factor()) {
    gemv(1.0, problem.kernel, Transpose::no, alpha, 0.0, out);
    return;
  }
  std::vector<double> theta(static_cast<std::size_t>(problem.factor.columns()));
  gemv(1.0, problem.factor, Transpose::yes, alpha, 0.0, theta);
  gemv(1.0, problem.factor, Transpose::no, theta, 0.0, out);
}

void evaluate_risk(const RiskProblem& problem, RiskSolution& solution) {
  const Index n = problem.size();
  solution.values.resize(static_cast<std::size_t>(n));
  multiply_kernel(problem, solution.alpha, solution.values);
  solution.squared_norm = std::max(0.0, dot(solution.alpha, solution.values));
  gemv(1.0, problem.basis, Transpose::no, solution.gamma, 1.0, solution.values);
  solution.risk = 0;
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    solution.risk += problem.prices[at] * problem.loss.value(problem.argument(i, solution.values[at]));
  }
  solution.objective = 0.5 * solution.squared_norm + solution.risk;
}

double dual_value(const RiskProblem& problem, std::span<const double> alpha) {
  std::vector<double> bent(alpha.size());
  multiply_kernel(problem, alpha, bent);
  return -0.5 * dot(alpha, bent) - conjugate_sum(problem, alpha);
}

namespace {

// |α|ᵀ|K||α|, and of a factor |α|ᵀ|L||L|ᵀ|α|.
double absolute_form(const RiskProblem& problem, std::span<const double> alpha) {
  const ConstMatrixView<double> matrix = problem.has_factor() ? problem.factor : problem.kernel;
  std::vector<double> sums(static_cast<std::size_t>(matrix.columns()), 0.0);
  for (Index i = 0; i < matrix.rows(); ++i) {
    const double size = std::abs(alpha[static_cast<std::size_t>(i)]);
    const std::span<const double> row = matrix.row(i);
    for (std::size_t j = 0; size > 0 && j < row.size(); ++j) {
      sums[j] += size * std::abs(row[j]);
    }
  }
  if (problem.has_factor()) {
    return dot(sums, sums);
  }
  double total = 0;
  for (std::size_t j = 0; j < sums.size(); ++j) {
    total += sums[j] * std::abs(alpha[j]);
  }
  return total;
}

// The step of the basis's coefficients to where Σ p_i r_i² is least, from where the errors are r. Empty where rows of
// low price are lost in the rounding of the others.
std::vector<double> weighted_step(const RiskProblem& problem, std::span<const double> errors, const Run& run) {
  const Index n = problem.size();
  const Index q = problem.basis.columns();
  Matrix<double> square = Matrix<double>::filled(q, q, 0.0);
  std::vector<double> step(static_cast<std::size_t>(q), 0.0);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    axpy(problem.prices[at] * errors[at], problem.basis.row(i), step);
    for (Index j = 0; j < q; ++j) {
      axpy(problem.prices[at] * problem.basis(i, j), problem.basis.row(i), square.view().row(j));
    }
  }
  if (!try_cholesky<double>(square.view(), run).ok) {
    return {};
  }
  cholesky_solve<double>(square.view(), std::span<double>(step), run);
  return step;
}

}  // namespace

double doubt_of_bound(const RiskProblem& problem, const RiskSolution& solution) {
  std::vector<double> left(static_cast<std::size_t>(problem.basis.columns()));
  gemv(1.0, problem.basis, Transpose::yes, solution.alpha, 0.0, left);
  double doubt = 32 * std::numeric_limits<double>::epsilon() * absolute_form(problem, solution.alpha);
  for (std::size_t p = 0; p < left.size(); ++p) {
    doubt += std::abs(left[p] * solution.gamma[p]);
  }
  return doubt;
}

RiskSolution plain_solution(const RiskProblem& problem) {
  RiskSolution plain;
  plain.alpha.assign(problem.targets.size(), 0.0);
  plain.gamma.assign(static_cast<std::size_t>(problem.basis.columns()), 0.0);
  if (!problem.is_residual()) {
    evaluate_risk(problem, plain);
    return plain;
  }
  gemv(1.0, problem.basis, Transpose::yes, problem.targets, 0.0, plain.gamma);
  evaluate_risk(problem, plain);
  if (problem.basis.columns() == 0) {
    return plain;
  }
  // Where prices differ, the rows with the high ones say what a plain function costs.
  std::vector<double> errors(problem.targets.begin(), problem.targets.end());
  axpy(-1.0, plain.values, errors);
  RiskSolution weighted = plain;
  const std::vector<double> step = weighted_step(problem, errors, Run());
  if (!step.empty()) {
    axpy(1.0, step, weighted.gamma);
    evaluate_risk(problem, weighted);
  }
  return weighted.objective < plain.objective ? weighted : plain;
}

bool needs_no_kernel(const RiskProblem& problem, const RiskSolution& plain) {
  double largest = 0;
  double total = 0;
  for (std::size_t i = 0; i < problem.targets.size(); ++i) {
    largest = std::max(largest, std::abs(problem.targets[i]));
    total += problem.prices[i];
  }
  const double rounding = 1e-14 * largest;
  return problem.is_residual() && problem.loss.slopes(0).contains(0) &&
         plain.objective <= total * std::max(problem.loss.value(rounding), problem.loss.value(-rounding));
}

void set_gap(RiskSolution& solution, double lower_bound, double plain) {
  solution.lower_bound = lower_bound;
  const double unit =
      std::max({solution.objective, std::abs(lower_bound), 1e-6 * plain, std::numeric_limits<double>::min()});
  solution.relative_gap = (solution.objective - lower_bound) / unit;
}

void require_valid(const RiskProblem& problem) {
  const Index n = problem.size();
  const auto reject = [](const std::string& what) { throw InvalidArgument("regularized risk: " + what); };
  const bool fits = problem.has_factor() ? problem.factor.rows() == n && problem.kernel.rows() == 0
                                         : problem.kernel.rows() == n && problem.kernel.columns() == n;
  if (!fits || problem.basis.rows() != n || static_cast<Index>(problem.prices.size()) != n || n == 0) {
    const Index rows = problem.has_factor() ? problem.factor.rows() : problem.kernel.rows();
    reject("a kernel matrix of " + std::to_string(rows) + " rows, a basis of " + std::to_string(problem.basis.rows()) +
           " and " + std::to_string(problem.prices.size()) + " prices for " + std::to_string(n) +
           " targets; all must be as many, and at least 1");
  }
  for (Index i = 0; i < n; ++i) {
    const double price = problem.prices[static_cast<std::size_t>(i)];
    const double target = problem.targets[static_cast<std::size_t>(i)];
    if (!(price > 0 && std::isfinite(price))) {
      reject_argument("regularized risk: price", price, "finite and positive");
    }
    if (!std::isfinite(target) || (!problem.is_residual() && std::abs(target) != 1)) {
      reject_argument("regularized risk: target", target, problem.is_residual() ? "finite" : "1 or -1");
    }
  }
}

}  // namespace mercer
