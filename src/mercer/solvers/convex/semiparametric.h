// Support vector machines with functions beside the kernel, f = Kβ + Φγ + Ψδ at the rows:
//
//   min ½βᵀKβ + Σ_i C_i loss(y_i, f_i) + ‖δ‖₁       loss: max(0, 1 − y f) with y = ±1, or max(0, |y − f| − ε)
//
// The coefficients γ cost nothing and those of Ψ their size. The dual is a box with as many equalities as functions Φ and
// as many ranges as functions Ψ; γ and δ are their multipliers,
//
//   max yᵀβ − ε‖β‖₁ − ½βᵀKβ      Φᵀβ = 0,   −1 ≤ Ψᵀβ ≤ 1,   |β_i| ≤ C_i, and y_iβ_i ≥ 0 of classes
//
// solved by the interior point (interior/interior_point.h). Coefficients next to a bound are put on it, the free ones are
// moved by the least that makes the equalities hold to rounding, and the gap of the two objectives, evaluated anew for
// what came out, is the proof. References: Schölkopf & Smola (2002), (4.81)-(4.84) and (4.94)-(4.98).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/linalg/view.h"

namespace mercer {

struct SemiparametricRows {
  ConstMatrixView<double> gram;    ///< K, both triangles; positive on what is orthogonal to Φ, and well so on Φ itself
  ConstMatrixView<double> free;    ///< Φ: rows × functions, of orthonormal columns
  ConstMatrixView<double> priced;  ///< Ψ: rows × functions
};

/// C_i ≥ 0, finite: rows with 0 are evaluated and not fitted to.
struct SemiparametricTargets {
  std::span<const double> values;  ///< y
  std::span<const double> bounds;  ///< C
};

struct SemiparametricSolution {
  std::vector<double> coefficients;  ///< β
  std::vector<double> free;          ///< γ
  std::vector<double> priced;        ///< δ
  std::vector<double> values;        ///< f at the rows
  double primal = 0;
  double dual = 0;
  double relative_gap = 0;  ///< (primal − dual) / the larger of their sizes
  /// Of the conditions on y_i f_i or y_i − f_i: how far the worst row is on the wrong side, however little its coefficient
  /// is away from a bound.
  double violation = 0;
  Index bounded = 0;  ///< coefficients at their bound C_i
  Index iterations = 0;
  SolveStatus status = SolveStatus::converged;  ///< by the gap against the tolerance
};

/// NumericalError where K is not positive, or the iteration ends where rounding leaves no solution at all. Same bits for
/// any number of threads. Memory beside K: a matrix of its size.
SemiparametricSolution solve_semiparametric_svc(const SemiparametricRows& rows, const SemiparametricTargets& targets,
                                                double tolerance, const Run& run);
SemiparametricSolution solve_semiparametric_svr(const SemiparametricRows& rows, const SemiparametricTargets& targets,
                                                double epsilon, double tolerance, const Run& run);

}  // namespace mercer
