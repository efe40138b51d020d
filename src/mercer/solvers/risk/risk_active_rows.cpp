#include "mercer/solvers/risk/risk_active_rows.h"

#include <cmath>

#include "mercer/base/text.h"
#include "mercer/solvers/convex/semiparametric.h"

namespace mercer {

namespace {

bool is_tube(const LossConjugate& form) { return form.lower == -1 && form.upper == 1 && form.shift == 0; }
bool is_hinge(const LossConjugate& form) {
  return form.lower == -1 && form.upper == 0 && form.tube == 0 && form.shift == 1;
}

}  // namespace

std::optional<RiskSolution> solve_risk_by_active_rows(const RiskProblem& problem, double largest_gap, const Run& run) {
  require_valid(problem);
  const std::optional<LossConjugate> form = problem.loss.conjugate_form();
  if (!form || form->has_smooth_part || problem.has_factor() ||
      !(problem.is_residual() ? is_tube(*form) : is_hinge(*form))) {
    return std::nullopt;
  }
  const SemiparametricRows rows{.gram = problem.kernel, .free = problem.basis, .priced = {}};
  const SemiparametricTargets targets{.values = problem.targets, .bounds = problem.prices};
  SemiparametricSolution found = problem.is_residual()
                                     ? solve_semiparametric_svr(rows, targets, form->tube, largest_gap, run)
                                     : solve_semiparametric_svc(rows, targets, largest_gap, run);
  RiskSolution solution;
  solution.iterations = found.iterations;
  solution.alpha = std::move(found.coefficients);
  solution.gamma = std::move(found.free);
  evaluate_risk(problem, solution);
  set_gap(solution, dual_value(problem, solution.alpha) - doubt_of_bound(problem, solution),
          plain_solution(problem).objective);
  const bool met = std::abs(solution.relative_gap) <= largest_gap;
  solution.status = met ? SolveStatus::converged : found.status;
  solution.optimality = met ? Optimality::minimum : Optimality::none;
  if (!met) {
    solution.status = found.status == SolveStatus::converged ? SolveStatus::stalled : found.status;
    solution.message =
        "the duality gap is " + shortest(solution.relative_gap) +
        " of the objective, with the rows on the edge solved for by themselves: rounding leaves no better, try "
        "a smaller C";
  }
  return solution;
}

}  // namespace mercer
