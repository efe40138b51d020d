// Regression that may be wrong by ε as a whole, not row by row: with weights C_i,
//
//   min ½‖w‖² + max(0, Σ C_i |y_i − f(x_i)| − ε ΣC)
//
// The dual has the bounds of a machine of ε = 0 for a variable, u ∈ [0, 1],
//
//   max yᵀβ − ½βᵀKβ − u ε ΣC      Σβ = 0, |β_i| ≤ u C_i
//
// which is concave in u: its slope is Σ C_i|y_i − f_i| − ε ΣC at the machine of the bounds u C. That is piecewise linear, and
// 0 is found by a safeguarded secant, each machine from the one before. Inside of (0, 1) the mean error is ε.
// Reference: Schölkopf & Smola (2002), (9.59)-(9.61), with the mean inside of |·|_ε.
#pragma once

#include <functional>
#include <span>

#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

/// Solves the machine of ε = 0 with these bounds, from the coefficients `start` (may be empty).
using TubelessSolve = std::function<SvmDual(std::span<const double> bounds, std::span<const double> start)>;

/// `converged`: the machine that was found is, and the gap of the whole problem is at most the tolerance times the deviation
/// of the targets times Σ u C. `gap` is the larger of the machine's and of how far the mean error is from ε where it should
/// be ε; `share` is u.
SvmDual solve_overall_tube(std::span<const double> targets, double epsilon, std::span<const double> bounds,
                           double tolerance, const TubelessSolve& solve);

}  // namespace mercer
