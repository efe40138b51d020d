#include "mercer/solvers/risk/risk_dual.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/risk/risk_dual_program.h"

namespace mercer {

namespace {

// Where the loss is flat at a row, its α is 0: what the method leaves there is its distance from the bound.
void drop_flat_rows(const RiskProblem& problem, RiskSolution& solution) {
  double largest = 0;
  for (const double a : solution.alpha) {
    largest = std::max(largest, std::abs(a));
  }
  for (Index i = 0; i < problem.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const SlopeRange slopes = problem.loss.slopes(problem.argument(i, solution.values[at]));
    if (slopes.left == 0 && slopes.right == 0 && std::abs(solution.alpha[at]) <= 1e-6 * largest) {
      solution.alpha[at] = 0;
    }
  }
}

}  // namespace

RiskSolution solve_risk_dual(const RiskProblem& problem, const RiskDualOptions& options, const Run& run) {
  require_valid(problem);
  const std::optional<LossConjugate> form = problem.loss.conjugate_form();
  if (!form) {
    throw InvalidArgument("regularized risk: the loss has no conjugate in closed form: take the primal");
  }
  const StoredFactorRows factor(problem.factor);
  std::shared_ptr<const QuadraticTerm> kernel;
  if (problem.has_factor()) {
    kernel = std::make_shared<LowRankQuadratic>(factor);
  } else {
    kernel = std::make_shared<DenseQuadratic>(problem.kernel);
  }
  const RiskDualProgram dual = risk_dual_program(problem, *form, kernel);
  const ConvexSolution found = solve_convex_program(
      dual.program,
      {.tolerance = options.tolerance, .max_iterations = options.max_iterations, .certificates = Certificates::off},
      run);
  RiskSolution solution;
  solution.iterations = found.iterations;
  solution.alpha = dual.signed_multipliers(found.point.x);
  for (const double multiplier : found.point.equality_multipliers) {
    solution.gamma.push_back(-multiplier);
  }
  evaluate_risk(problem, solution);
  drop_flat_rows(problem, solution);
  evaluate_risk(problem, solution);
  // Of the multipliers that are given, not of those that the method ended with.
  set_gap(solution, dual_value(problem, solution.alpha) - doubt_of_bound(problem, solution),
          plain_solution(problem).objective);
  const bool met = std::abs(solution.relative_gap) <= options.largest_gap;
  solution.status = met                                              ? SolveStatus::converged
                    : found.status == ProgramStatus::iteration_limit ? SolveStatus::iteration_limit
                                                                     : SolveStatus::stalled;
  solution.optimality = met ? Optimality::minimum : Optimality::none;
  if (!met) {
    const std::string why =
        found.status == ProgramStatus::converged
            ? "the dual is solved, but its multipliers are too large for this function to be told from "
              "a better one; try a smaller C"
            : found.message;
    solution.message = "the duality gap is " + shortest(solution.relative_gap) + " of the objective: " + why;
  }
  return solution;
}

}  // namespace mercer
