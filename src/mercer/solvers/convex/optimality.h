// How far a given point with given multipliers is from the optimum of a given convex programme (convex_program.h): the
// Karush-Kuhn-Tucker conditions, each relative to the sizes of what is added up in it, and the duality gap. Nothing of a
// solver goes in. For a feasible x, and multipliers of the right signs whose stationarity is exact,
//
//   f(x) ≥ f* ≥ f(x) − Σ y_i(Ax − b)_i − Σ v_i((Gx)_i − bound_i) − Σ z_j(x_j − bound_j)
//
// References: Schölkopf & Smola (2002), theorems 6.21 and 6.26-6.27, (6.62).
#pragma once

#include "mercer/solvers/convex/convex_program.h"

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

/// What small is relative to where the numbers of a point do not say it: the unit of x that the data know (the least
/// right side or bound that is not 0, else |c|/|Q|, else 1), the largest diagonal entry of Q and of |c|, and a
/// millionth of the slope and of the objective at that unit (as if they were 1 where there is no objective).
struct ProgramUnits {
  double length = 1;
  double curvature = 0;
  double slope = 0;
  double slope_floor = 0;
  double objective_floor = 0;
};
ProgramUnits units_of(const ConvexProgram& program);

/// `margin` and the largest g_j that points to where x_j has no bound, relative to the largest Σ|a_ij y_i|: ≤ 0 and > 0
/// mean that the vector proves nothing.
struct FarkasReport {
  double margin = 0;           ///< of the certificate, recomputed
  double relative_margin = 0;  ///< to the sizes that are added up in it
  double violation = 0;
};
FarkasReport check_farkas(const ConvexProgram& program, const FarkasCertificate& certificate, const Run& run);

/// cᵀd relative to Σ|c_j d_j|, and the largest of |Qd|, of the constraints that d leaves, and of components along which a
/// separable term grows, relative to |d|.
struct RayReport {
  double slope = 0;
  double violation = 0;
};
RayReport check_ray(const ConvexProgram& program, std::span<const double> ray, const Run& run);

}  // namespace mercer
