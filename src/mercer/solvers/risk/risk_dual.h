// Convex losses by the dual of the regularised risk (risk_problem.h) and the interior point method: the conjugate's smooth
// part is a separable term of the programme, its domain the box, its kink at 0 (losses that are flat inside of a tube) two
// variables per row, α = a⁺ − a⁻, and the functions beside the kernel are equations, whose multipliers are −γ.
#pragma once

#include "mercer/base/run.h"
#include "mercer/solvers/risk/risk_problem.h"

namespace mercer {

struct RiskDualOptions {
  double tolerance = 1e-8;    ///< of the programme's optimality
  double largest_gap = 1e-6;  ///< relative: with it the solution is `converged`
  Index max_iterations = 200;
};

/// With a factor of k columns 3nk numbers and nk² operations per step. Else 2n² numbers beside the kernel matrix, n³/3 operations per step, about 10 to 40 steps. Rows whose loss is flat where
/// they are have α = 0 exactly. InvalidArgument where the loss has no conjugate, and for problems that are not valid;
/// NumericalError where the kernel matrix is not positive semidefinite; Stopped.
RiskSolution solve_risk_dual(const RiskProblem& problem, const RiskDualOptions& options, const Run& run);

}  // namespace mercer
