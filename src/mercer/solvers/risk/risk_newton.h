// Smooth losses, convex or not, by Newton's method on the regularised risk (risk_problem.h): with K = LLᵀ, f = Lθ + Qγ,
//
//   gradient (θ + Lᵀg, Qᵀg), g_i = p_i s_i c'(x_i)     Hessian [1 0; 0 0] + (L Q)ᵀ diag(p_i c''(x_i)) (L Q)
//
// A multiple of its diagonal is added where the Hessian is not positive definite or a step does not keep its promise
// (Levenberg 1944, Marquardt 1963), so that the objective falls in every step. Where the loss is not convex the end is a
// stationary point: the best of two starts, the functions beside the kernel alone and the solution of a convex loss
// with the same curvature at 0 (residuals) or of the logistic one (margins).
// References: Nocedal & Wright (2006), 4.3; Schölkopf & Smola (2002), 6.2.
#pragma once

#include "mercer/base/run.h"
#include "mercer/solvers/risk/risk_problem.h"

namespace mercer {

struct RiskNewtonOptions {
  double tolerance = 1e-9;  ///< of the gradient, relative to the sizes of what it is the sum of
  Index max_iterations = 200;
};

/// 3n² numbers beside the kernel matrix, 4n³/3 operations per step; with a factor of k columns 3nk and nk². InvalidArgument for problems that are not valid or
/// losses that are not smooth; Stopped.
RiskSolution solve_risk_newton(const RiskProblem& problem, const RiskNewtonOptions& options, const Run& run);

}  // namespace mercer
