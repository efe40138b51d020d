// Linear programs of kernel machines: piecewise linear losses and an l1 price on the coefficients,
//
//   min_{a,b}  Σ_i up_i max(0, t_i − f_i − ε_i) + down_i max(0, f_i − t_i − ε_i)  +  Σ_j c_j |a_j|,   f = Φa + b
//
//   absolute errors        up = down = w, ε = 0            Laplacian noise
//   ε-insensitive errors   up = down = w, ε > 0
//   hinge                  t = y = ±1, ε = 0, up = w or down = w on the wrong side, 0 on the other   (LP machine)
//   quantiles              up = w·level, down = w·(1 − level)
//
// Beside b there may be more numbers without a price, f = Φa + b + Uc (unpriced), as joint machines of several classes
// have, and a may be held at a ≥ 0 (CoefficientSigns), as machines have whose coefficients bear the signs of their labels.
//
// Φ is dense, of any shape; where it is a kernel matrix the kernel need not be positive definite. Columns enter as their
// prices ask for them (column generation), each restricted program is solved by an interior point method
// (linear_program_interior.h), and the end is polished: coefficients that the method drives to 0 become 0, the others
// solve the equations of the rows that are met exactly. Of equal columns the cheapest, then the first is used. The
// reported gap is to a dual point that is feasible over all columns, whatever the steps before did.
//
// Why not a library of sparse linear programs: kernel matrices are dense, and the structure (split variables, one equation
// per row) is worth more than a general presolve. Side by side on a busy machine, one thread, Gaussian kernel, 500 rows,
// with an offset: absolute errors 1.15 s by HiGHS' dual simplex and 1.42 s by its interior point method, 0.10 to 0.17 s
// here, with the same objective (41.5957650) and a gap of 5e-14; insensitive errors 0.66 s and 1.25 s against 0.10 s.
//
// References: Schölkopf & Smola (2002), 4.9.2, 7.7 and 16.5; Bennett & Mangasarian (1992), Robust linear programming
// discrimination.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// One entry per row each; all finite, targets aside not negative, up + down > 0.
struct CheckLosses {
  std::vector<double> targets;
  std::vector<double> up;    ///< price of f below t − ε
  std::vector<double> down;  ///< price of f above t + ε
  std::vector<double> tube;  ///< ε
};

/// Weights (empty: all 1) are the prices of both sides.
CheckLosses absolute_losses(std::span<const double> targets, std::span<const double> weights, double tube);
/// Labels are ±1. InvalidArgument for others.
CheckLosses hinge_losses(std::span<const double> labels, std::span<const double> weights);
/// Σ_i of the losses at f. O(n).
double total_loss(const CheckLosses& losses, std::span<const double> values);

enum class ProgramOffset { none, free };
enum class CoefficientSigns { any, nonnegative };

struct LinearProgramOptions {
  ProgramOffset offset = ProgramOffset::none;
  CoefficientSigns signs = CoefficientSigns::any;
  ConstMatrixView<double> unpriced = {};  ///< U (n × q), few columns; of the caller's
  double tolerance = 1e-9;                ///< of the gap, relative to the objective
  Index max_iterations = 200;             ///< of the interior point method, for each restricted program
};

struct LinearProgramSolution {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;  ///< Newton steps over all restricted programs
  Index rounds = 0;      ///< restricted programs
  std::vector<double> coefficients;
  double offset = 0;
  std::vector<double> unpriced = {};  ///< c
  std::vector<double> multipliers;    ///< θ, feasible in the dual
  double objective = 0;
  double gap = 0;  ///< objective minus dual value: how far from the optimum at most
};

/// `prices` (c, one per column) are positive. Memory: two copies of the columns in use and a square matrix of
/// min(rows, columns in use); operations per step as in linear_program_interior.h. status = stalled where rounding ends
/// the progress before the tolerance. InvalidArgument for no rows, sizes that do not fit, numbers outside of what is
/// allowed, DataError for features that are not finite, Stopped.
LinearProgramSolution solve_linear_program(ConstMatrixView<double> features, const CheckLosses& losses,
                                           std::span<const double> prices, const LinearProgramOptions& options,
                                           const Run& run);

}  // namespace mercer
