// Primal coordinate descent for linear machines with an l1 penalty and a squared loss L.
//
// Along w_j the objective is |w_j + d| + L(w + d e_j): Newton's step of the quadratic model of L with its generalised
// second derivative, shortened until the decrease is sufficient (Yuan, Chang, Hsieh, Lin, "A comparison of optimization
// methods and software for large-scale L1-regularized linear classification", 2010). Columns with w_j = 0 whose
// derivative is well inside (-1, 1) are shrunk.
//
// Dual: max Σ t_i β_i - ε |β_i| - β_i^2 / 4C_i  with |Σ_i β_i x_ij| <= 1 for all j, and Σ β_i = 0 for an exact intercept.
// The slopes of the loss at w are β; scaled into these constraints they bound the optimum from below.
#pragma once

#include "mercer/solvers/linear/linear_svm.h"

namespace mercer::linear {

/// `problem` and `options` are valid; see solve_linear_svm.
LinearSvmResult solve_l1(const LinearProblem& problem, const LinearSvmOptions& options, const Run& run);

}  // namespace mercer::linear
