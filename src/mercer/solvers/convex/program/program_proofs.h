// What a vector proves about a convex programme (convex_program.h): that it has no feasible point, or no lowest value. By
// multiplying out, whoever found the vector. Reference: Schölkopf & Smola (2002), theorem 6.30.
#pragma once

#include "mercer/solvers/convex/program/convex_program.h"

namespace mercer {

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
