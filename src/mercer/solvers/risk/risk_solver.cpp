#include "mercer/solvers/risk/risk_solver.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/solvers/risk/risk_active_rows.h"
#include "mercer/solvers/risk/risk_dual.h"
#include "mercer/solvers/risk/risk_newton.h"
#include "mercer/solvers/risk/separation.h"

namespace mercer {

namespace {

/// Whether steps in the multipliers see a finite curvature where these pass through 0; an end of their domain is not passed.
bool bends_finitely(const Loss& loss, const LossConjugate& form) {
  const bool passes_zero = form.lower < 0 && form.upper > 0;
  return !form.has_smooth_part || !passes_zero || std::isfinite(loss.conjugate_part(0).curvature);
}

RiskSolution by_dual(const RiskProblem& problem, const RiskSolverOptions& options, const Run& run) {
  RiskSolution solution;
  // Where prices are high, small errors of f are large ones of the risk.
  for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
    solution = solve_risk_dual(
        problem, {.tolerance = tolerance, .largest_gap = options.largest_gap, .max_iterations = options.max_iterations},
        run);
    if (solution.status != SolveStatus::stalled) {
      break;
    }
  }
  return solution;
}

RiskSolution by_newton(const RiskProblem& problem, const RiskSolverOptions& options, double plain, const Run& run) {
  RiskSolution solution = solve_risk_newton(problem, {.max_iterations = options.max_iterations}, run);
  if (!problem.loss.conjugate_form()) {
    return solution;
  }
  set_gap(solution, dual_value(problem, solution.alpha) - doubt_of_bound(problem, solution), plain);
  const bool is_met = std::abs(solution.relative_gap) <= options.largest_gap;
  if (is_met) {
    solution.status = SolveStatus::converged;
    solution.optimality = Optimality::minimum;
    solution.message.clear();
  } else if (solution.status == SolveStatus::converged) {
    solution.status = SolveStatus::stalled;
    solution.optimality = Optimality::none;
    solution.message = "the duality gap is " + shortest(solution.relative_gap) + " of the objective";
  }
  return solution;
}

RiskSolution solved(const RiskProblem& problem, const RiskSolverOptions& options, double plain, const Run& run) {
  const std::optional<LossConjugate> form = problem.loss.conjugate_form();
  const bool dual_first = form && bends_finitely(problem.loss, *form);
  RiskSolution best = dual_first ? by_dual(problem, options, run) : by_newton(problem, options, plain, run);
  const auto try_also = [&](const std::optional<RiskSolution>& other) {
    if (other && std::abs(other->relative_gap) < std::abs(best.relative_gap)) {
      const Index iterations = best.iterations;
      best = *other;
      best.iterations += iterations;
    }
  };
  if (best.status != SolveStatus::converged && (dual_first ? problem.loss.is_smooth() : form.has_value())) {
    try_also(dual_first ? by_newton(problem, options, plain, run) : by_dual(problem, options, run));
  }
  if (best.status != SolveStatus::converged) {
    try_also(solve_risk_by_active_rows(problem, options.largest_gap, run));
  }
  return best;
}

}  // namespace

RiskSolution solve_risk(const RiskProblem& problem, const RiskSolverOptions& options, const Run& run) {
  require_valid(problem);
  const std::optional<LossConjugate> form = problem.loss.conjugate_form();
  if (!form && !problem.loss.is_smooth()) {
    throw InvalidArgument("regularized risk: the loss is neither convex nor smooth: no method fits it");
  }
  RiskSolution plain = plain_solution(problem);
  if (needs_no_kernel(problem, plain)) {
    plain.status = SolveStatus::converged;
    plain.optimality = problem.loss.is_convex() ? Optimality::minimum : Optimality::local_minimum;
    return plain;
  }
  return unless_separated(problem, solved(problem, options, plain.objective, run), run);
}

}  // namespace mercer
