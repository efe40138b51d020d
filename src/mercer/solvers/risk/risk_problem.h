// The regularised risk in general: for any loss c (theory/losses), prices p_i = C w_i and functions beside the kernel,
//
//   min_{α,γ}  ½αᵀKα + Σ_i p_i c(x_i),     f = Kα + Qγ,     x_i = f_i − y_i (residual) or y_i f_i (margin, y_i = ±1)
//
// At a minimum α_i = −p_i s_i u_i with a slope u_i ∈ ∂c(x_i), s_i = 1 or y_i, and Qᵀα = 0. With c's convex conjugate c*
// (0 ≤ the difference of the two, which is 0 at the optimum and there alone):
//
//   max_α  −½αᵀKα − Σ_i p_i c*(u_i) + Σ_i y_iα_i (residual)      u_i = −s_iα_i/p_i,   Qᵀα = 0
//
// Convex losses go by the dual (risk_dual.h): a certificate comes with the solution. Smooth losses of any kind go by the
// primal (risk_newton.h), to a stationary point. References: Schölkopf & Smola (2002), 4.1-4.2, 9.3 and (4.81)-(4.84);
// Rifkin & Lippert (2007), Value regularization and Fenchel duality.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/linalg/view.h"
#include "mercer/theory/losses/loss.h"

namespace mercer {

/// All of it is the caller's and must outlive the solution's making.
struct RiskProblem {
  ConstMatrixView<double> kernel;   ///< K: n × n, both triangles; positive semidefinite; empty where there is a factor
  ConstMatrixView<double> basis;    ///< Q: n × q, orthonormal columns; q may be 0
  std::span<const double> targets;  ///< y
  std::span<const double> prices;   ///< p > 0
  const Loss& loss;
  ConstMatrixView<double> factor = {};  ///< R: n × k, of few columns, K = RRᵀ; empty where K itself is there

  bool has_factor() const { return factor.rows() > 0; }
  Index size() const { return static_cast<Index>(targets.size()); }
  bool is_residual() const { return loss.argument() == LossArgument::residual; }
  double sign(Index i) const { return is_residual() ? 1.0 : targets[static_cast<std::size_t>(i)]; }
  double argument(Index i, double f) const {
    const double y = targets[static_cast<std::size_t>(i)];
    return is_residual() ? f - y : y * f;
  }
};

/// What a solution is known to be.
enum class Optimality {
  minimum,           ///< of a convex problem
  local_minimum,     ///< the slope is 0 and the curvature positive
  stationary_point,  ///< the slope is 0
  none               ///< the method ended before
};
constexpr auto words_of(Optimality) {
  return std::array{Word{Optimality::minimum, "minimum"}, Word{Optimality::local_minimum, "local minimum"},
                    Word{Optimality::stationary_point, "stationary point"}, Word{Optimality::none, "none"}};
}

struct RiskSolution {
  SolveStatus status = SolveStatus::stalled;
  Optimality optimality = Optimality::none;
  std::string message;  ///< a sentence where it is not converged
  Index iterations = 0;
  std::vector<double> alpha;
  std::vector<double> gamma;
  std::vector<double> values;  ///< f
  double squared_norm = 0;     ///< αᵀKα
  double risk = 0;             ///< Σ p_i c(x_i)
  double objective = 0;        ///< their sum, the norm halved
  /// Of convex losses with a conjugate: what the multipliers prove, and (objective − bound)/objective.
  double lower_bound = 0;
  double relative_gap = 0;
  /// By the primal: the size of the gradient relative to that of its parts.
  double relative_gradient = 0;
};

/// out = Kα.
void multiply_kernel(const RiskProblem& problem, std::span<const double> alpha, std::span<double> out);

/// Values, norm, risk and objective of the solution's α and γ. O(n²).
void evaluate_risk(const RiskProblem& problem, RiskSolution& solution);

/// −½αᵀKα − Σ p_i c*(u_i) + Σ y_iα_i of a convex loss with a conjugate; multipliers outside of its domain count as at its end.
/// A lower bound of the objective where Qᵀα = 0. O(n²).
double dual_value(const RiskProblem& problem, std::span<const double> alpha);
/// What that bound may be too high by: 32ε Σ_ij |α_i K_ij α_j|, for large multipliers of both signs cancel and values of a kernel
/// are known to some units of their last place, and
/// Σ_p |(Qᵀα)_p γ_p| of equations that hold to rounding only. O(n²).
double doubt_of_bound(const RiskProblem& problem, const RiskSolution& solution);

/// The solution α = 0 with the targets as far as the basis goes by least squares, of all rows alike or by their prices, whichever costs less
/// (margins: f = 0). O(nq²).
RiskSolution plain_solution(const RiskProblem& problem);
/// Whether that solution makes no error but rounding, so that it is the optimum.
bool needs_no_kernel(const RiskProblem& problem, const RiskSolution& plain);

/// Bound and gap; `plain` is the objective of plain_solution(), of which a share is the unit where the optimum is 0.
void set_gap(RiskSolution& solution, double lower_bound, double plain);

/// InvalidArgument for sizes that do not fit, prices that are not positive, targets that are not finite, or not ±1 where
/// the loss is of margins.
void require_valid(const RiskProblem& problem);

}  // namespace mercer
