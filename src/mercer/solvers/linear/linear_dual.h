// Dual coordinate descent for linear machines with an l2 penalty.
//
// In β, all four losses are one problem: min 1/2 |Σ β_i x_i|^2 + Σ (-t_i β_i + ε |β_i| + β_i^2 / 4C_i), with ε = 0 for
// the hinge losses, the last term for the squared ones, and t_i β_i in [0, C_i] or |β_i| <= C_i.
//
// The intercept is b = offset + s Σ β_i. Regularized with scale B: offset 0, s = B^2, which is the further column of B.
// Exact: the proximal point method on b. Adding (b - offset)^2 / 2s to the primal keeps the dual without constraint;
// its minimum is followed by offset = b until Σ β_i = 0. This converges for every s > 0 because the problem is
// convex; s = the mean of |x_i|^2 makes the intercept as stiff as the other weights. What ends it is the gap between
// the primal with the best b for w and the dual at β made feasible: the heavier sign scaled down to Σ β_i = 0.
#pragma once

#include "mercer/solvers/linear/linear_svm.h"

namespace mercer::linear {

/// `problem` and `options` are valid; see solve_linear_svm.
LinearSvmResult solve_dual(const LinearProblem& problem, const LinearSvmOptions& options, const Run& run);

}  // namespace mercer::linear
