// How far a given point with given multipliers is from the optimum of a given convex programme (convex_program.h): the
// Karush-Kuhn-Tucker conditions, each relative to the sizes of what is added up in it, and the duality gap. Nothing of a
// solver goes in. For a feasible x, and multipliers of the right signs whose stationarity is exact,
//
//   f(x) ≥ f* ≥ f(x) − Σ y_i(Ax − b)_i − Σ v_i((Gx)_i − bound_i) − Σ z_j(x_j − bound_j)
//
// References: Schölkopf & Smola (2002), theorems 6.21 and 6.26-6.27, (6.62).
#pragma once

#include "mercer/solvers/convex/program/convex_program.h"

namespace mercer {

struct OptimalityReport {
  /// ‖Qx + c + q' − Aᵀy − Gᵀv − z‖∞, and multipliers of bounds that do not exist, relative to the largest Σ of sizes.
  double stationarity = 0;
  /// The largest violation of a row (divided by its largest entry) or bound, relative to the largest |x_j| or |b_i|
  /// or the unit of the data.
  double feasibility = 0;
  double primal = 0;
  double dual = 0;
  double gap = 0;  ///< Σ of the sizes of all products of multipliers and slacks: at least |primal − dual|
  /// gap / max(|primal|, |dual|), where these are not smaller than what rounding and the units of the data leave of them.
  double relative_gap = 0;

  double worst() const;
};

/// One product with Q, one with each of A, Aᵀ, G, Gᵀ. InvalidArgument for a point that does not fit the programme.
OptimalityReport check_optimality(const ConvexProgram& program, const ConvexPoint& point, const Run& run);

}  // namespace mercer
