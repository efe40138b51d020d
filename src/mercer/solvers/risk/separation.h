// Whether functions beside the kernel, which nothing penalizes, separate the classes by themselves. Losses of the margin that
// fall for ever then have no minimum: the functions grow without end.
#pragma once

#include "mercer/base/run.h"
#include "mercer/solvers/risk/risk_problem.h"

namespace mercer {

/// Whether some γ has y_i(Qγ)_i ≥ 0 at all rows, and > 0 at one: a convex programme of q variables and n + 1 rows. False for losses
/// of residuals.
bool basis_separates(const RiskProblem& problem, const Run& run);

/// The solution, not converged where the loss falls for ever and the basis separates: a small gap shows that the objective is next
/// to the lowest value there is, not that any function has it.
RiskSolution unless_separated(const RiskProblem& problem, RiskSolution solution, const Run& run);

}  // namespace mercer
