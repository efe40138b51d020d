#include "mercer/solvers/risk/risk_sparse.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/linalg/blas.h"
#include "mercer/solvers/risk/risk_dual_program.h"
#include "mercer/solvers/risk/separation.h"

namespace mercer {

namespace {

class SparseRisk {
 public:
  SparseRisk(const SparseRiskProblem& problem, double largest_gap, const Run& run)
      : risk_(problem.risk),
        priced_(problem.priced.columns() > 0 ? problem.priced
                                             : ConstMatrixView<double>(nullptr, problem.risk.size(), 0)),
        largest_gap_(largest_gap),
        run_(run) {}

  SparseRiskSolution solve(double tolerance, Index max_iterations) const;

 private:
  std::vector<double> values(const SparseRiskSolution& solution) const;
  void judge(SparseRiskSolution& solution, std::vector<double> a) const;
  SparseRiskSolution without_rest_of_barrier(SparseRiskSolution solution, const std::vector<double>& a) const;
  double plain_objective() const;

  const RiskProblem& risk_;
  ConstMatrixView<double> priced_;  // of as many rows as there are, also where no function is priced
  double largest_gap_;
  const Run& run_;
};

std::vector<double> SparseRisk::values(const SparseRiskSolution& solution) const {
  std::vector<double> f(risk_.targets.size());
  gemv(1.0, risk_.kernel, Transpose::no, solution.risk.alpha, 0.0, f);
  gemv(1.0, priced_, Transpose::no, solution.priced, 1.0, f);
  gemv(1.0, risk_.basis, Transpose::no, solution.risk.gamma, 1.0, f);
  return f;
}

// The objective of the coefficients, and the bound that the multipliers prove once they are in their ranges.
void SparseRisk::judge(SparseRiskSolution& solution, std::vector<double> a) const {
  RiskSolution& risk = solution.risk;
  risk.values = values(solution);
  solution.absolute_sum = 0;
  for (const double coefficient : risk.alpha) {
    solution.absolute_sum += std::abs(coefficient);
  }
  risk.squared_norm = dot(solution.priced, solution.priced);
  risk.risk = 0;
  for (Index i = 0; i < risk_.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    risk.risk += risk_.prices[at] * risk_.loss.value(risk_.argument(i, risk.values[at]));
  }
  risk.objective = solution.absolute_sum + 0.5 * risk.squared_norm + risk.risk;
  std::vector<double> ranges(risk_.targets.size());
  gemv(1.0, risk_.kernel, Transpose::yes, a, 0.0, ranges);
  double largest = 1;
  for (const double range : ranges) {
    largest = std::max(largest, std::abs(range));
  }
  scale(1 / largest, a);
  std::vector<double> along(solution.priced.size());
  gemv(1.0, priced_, Transpose::yes, a, 0.0, along);
  const double bound = -0.5 * dot(along, along) - conjugate_sum(risk_, a);
  set_gap(risk, bound, plain_objective());
}

double SparseRisk::plain_objective() const { return plain_solution(risk_).objective; }

// Coefficients whose range is not at its end are 0; of others the barrier leaves next to nothing.
SparseRiskSolution SparseRisk::without_rest_of_barrier(SparseRiskSolution solution,
                                                       const std::vector<double>& a) const {
  std::vector<double> ranges(a.size());
  gemv(1.0, risk_.kernel, Transpose::yes, a, 0.0, ranges);
  double largest = 0;
  for (const double coefficient : solution.risk.alpha) {
    largest = std::max(largest, std::abs(coefficient));
  }
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    double& coefficient = solution.risk.alpha[j];
    const bool is_inside = std::abs(ranges[j]) < 1 - 1e-5;
    coefficient = is_inside || std::abs(coefficient) <= 1e-6 * largest ? 0.0 : coefficient;
  }
  judge(solution, a);
  return solution;
}

SparseRiskSolution SparseRisk::solve(double tolerance, Index max_iterations) const {
  const Index n = risk_.size();
  const StoredFactorRows rows(priced_);
  const std::shared_ptr<const QuadraticTerm> quadratic =
      priced_.columns() > 0 ? std::shared_ptr<const QuadraticTerm>(std::make_shared<LowRankQuadratic>(rows))
                            : DiagonalQuadratic::zero(n);
  RiskDualProgram dual = risk_dual_program(risk_, *risk_.loss.conjugate_form(), quadratic);
  const Index size = dual.program.size();
  Matrix<double> ranges(n, size);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < size; ++i) {
      ranges(j, i) = (i < n ? 1.0 : -1.0) * risk_.kernel(i % n, j);
    }
  }
  dual.program.range = ranges.view();
  dual.program.range_lower.assign(static_cast<std::size_t>(n), -1.0);
  dual.program.range_upper.assign(static_cast<std::size_t>(n), 1.0);
  const ConvexSolution found = solve_convex_program(
      dual.program, {.tolerance = tolerance, .max_iterations = max_iterations, .certificates = Certificates::off},
      run_);
  const std::vector<double> a = dual.signed_multipliers(found.point.x);
  SparseRiskSolution solution;
  solution.risk.iterations = found.iterations;
  for (const double multiplier : found.point.range_multipliers) {
    solution.risk.alpha.push_back(-multiplier);
  }
  for (const double multiplier : found.point.equality_multipliers) {
    solution.risk.gamma.push_back(-multiplier);
  }
  solution.priced.resize(static_cast<std::size_t>(priced_.columns()));
  gemv(1.0, priced_, Transpose::yes, a, 0.0, solution.priced);
  judge(solution, a);
  SparseRiskSolution exact = without_rest_of_barrier(solution, a);
  if (std::abs(exact.risk.relative_gap) <= std::max(std::abs(solution.risk.relative_gap), 0.5 * largest_gap_)) {
    solution = std::move(exact);
  }
  const bool met = std::abs(solution.risk.relative_gap) <= largest_gap_;
  solution.risk.status = met                                              ? SolveStatus::converged
                         : found.status == ProgramStatus::iteration_limit ? SolveStatus::iteration_limit
                                                                          : SolveStatus::stalled;
  solution.risk.optimality = met ? Optimality::minimum : Optimality::none;
  if (!met) {
    solution.risk.message =
        "the duality gap is " + shortest(solution.risk.relative_gap) + " of the objective: " + found.message;
  }
  return solution;
}

}  // namespace

SparseRiskSolution solve_sparse_risk(const SparseRiskProblem& problem, double largest_gap, Index max_iterations,
                                     const Run& run) {
  require_valid(problem.risk);
  if (problem.risk.has_factor() || (problem.priced.columns() > 0 && problem.priced.rows() != problem.risk.size())) {
    throw InvalidArgument("risk with a price on coefficients: it takes a whole matrix, and functions of as many rows");
  }
  if (!problem.risk.loss.conjugate_form()) {
    throw InvalidArgument(
        "a price on coefficients needs a convex loss whose conjugate is known (mercer losses lists them)");
  }
  SparseRiskSolution solution;
  solution.risk = plain_solution(problem.risk);
  solution.priced.assign(static_cast<std::size_t>(problem.priced.columns()), 0.0);
  if (needs_no_kernel(problem.risk, solution.risk)) {
    solution.risk.status = SolveStatus::converged;
    solution.risk.optimality = Optimality::minimum;
    return solution;
  }
  const SparseRisk method(problem, largest_gap, run);
  for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
    solution = method.solve(tolerance, max_iterations);
    if (solution.risk.status != SolveStatus::stalled) {
      break;
    }
  }
  solution.risk = unless_separated(problem.risk, std::move(solution.risk), run);
  return solution;
}

}  // namespace mercer
