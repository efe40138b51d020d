// The logarithmic barrier for convex programmes, the plain ancestor of interior_point.h: for μ ↓ 0
//
//   min ½xᵀQx + cᵀx + Σ q_i(x_i) − μ Σ ln(slack)      Ax = b, a slack for every finite bound of x and of Gx
//
// by Newton's method, each from the solution of the one before. Multipliers are μ/slack, the gap is μ times the number of
// slacks. It takes several steps where the primal-dual method takes one, and finds no proof where there is no optimum: to
// learn from and to compare with. References: Schölkopf & Smola (2002), (6.90) with −μΣln(−c_i); Boyd & Vandenberghe
// (2004), 11.3 and 10.3.
#pragma once

#include "mercer/solvers/convex/program/convex_program.h"

namespace mercer {

struct LogBarrierOptions {
  double tolerance = 1e-8;     ///< as of InteriorPointOptions
  double reduction = 0.1;      ///< of μ, between 0 and 1
  Index max_iterations = 500;  ///< Newton steps over all μ
};

/// InvalidArgument, NumericalError and Stopped as solve_convex_program; status converged, iteration_limit or stalled.
ConvexSolution solve_by_log_barrier(const ConvexProgram& program, const LogBarrierOptions& options, const Run& run);

}  // namespace mercer
