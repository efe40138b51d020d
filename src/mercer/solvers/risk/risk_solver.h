// The regularised risk (risk_problem.h) by what suits the loss:
//
//   convex, with a conjugate that bends finitely at 0     the dual (risk_dual.h)
//   smooth otherwise                                      Newton's method (risk_newton.h)
//
// and by the other one, where there is one, if the first does not prove its solution; at last the tube and the hinge by the rows
// on their edges (risk_active_rows.h). `converged` of a convex loss with a
// conjugate means that the duality gap is at most `largest_gap` of the objective; of other losses that the gradient is 0.
#pragma once

#include "mercer/base/run.h"
#include "mercer/solvers/risk/risk_problem.h"

namespace mercer {

struct RiskSolverOptions {
  double largest_gap = 1e-6;
  Index max_iterations = 200;
};

/// Cost, memory and errors of solve_risk_dual() and solve_risk_newton(). InvalidArgument for a loss that is neither
/// convex nor smooth.
RiskSolution solve_risk(const RiskProblem& problem, const RiskSolverOptions& options, const Run& run);

}  // namespace mercer
