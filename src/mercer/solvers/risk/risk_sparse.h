// The risk with a price on coefficients in place of the norm of the function, for convex losses,
//
//   min_{α,δ,γ}  Σ_j |α_j| + ½‖δ‖² + Σ_i p_i c(x_i),     f = Kα + Ψδ + Qγ,     x_i = f_i − y_i or y_i f_i
//
// K may be any matrix: few α are not 0. Its dual is that of the regularised risk (risk_problem.h) with ranges in the place of K,
//
//   max_a  −½‖Ψᵀa‖² − Σ_i p_i c*(u_i) + Σ_i y_ia_i (residual)      u_i = −s_ia_i/p_i,   −1 ≤ Kᵀa ≤ 1,   Qᵀa = 0
//
// and α and γ are the multipliers of ranges and equations, δ = Ψᵀa. Without Ψ, and with a tube, it is a linear programme. By the interior
// point (convex/interior). References: Schölkopf & Smola (2002), (4.92)-(4.96): with Ω = Σ|α_i| + ½βᵀMβ; 9.4.
#pragma once

#include "mercer/base/run.h"
#include "mercer/solvers/risk/risk_problem.h"

namespace mercer {

struct SparseRiskProblem {
  RiskProblem risk;                ///< K (square, any), Q, targets, prices, loss; no factor
  ConstMatrixView<double> priced;  ///< Ψ: n × m; m may be 0
};

struct SparseRiskSolution {
  RiskSolution risk;           ///< α, γ, f, risk, gap; squared_norm is that of δ
  std::vector<double> priced;  ///< δ
  double absolute_sum = 0;     ///< Σ|α_j|
};

/// 3n² numbers beside K, n³ operations per step, 10 to 40 steps. InvalidArgument for problems that are not valid and losses without
/// conjugate; Stopped.
SparseRiskSolution solve_sparse_risk(const SparseRiskProblem& problem, double largest_gap, Index max_iterations,
                                     const Run& run);

}  // namespace mercer
