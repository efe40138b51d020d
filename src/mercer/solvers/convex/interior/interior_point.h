// The interior point method for convex programmes (convex_program.h): Mehrotra's predictor and corrector on
//
//   (Q + q'' + D) Δx − Bᵀ Δy = r,   B Δx + E Δy = s                      (newton_system.h)
//
// with one factorisation per step, about ten to thirty steps. Constraints need not hold at the start, rows may depend on
// each other, variables may be free or fixed. `converged` is a promise: the point and its multipliers were put into the
// programme again (optimality.h), with nothing of the method. A programme without feasible points, or without a lowest
// value, ends with a vector that proves it (infeasibility.h).
//
// Memory beside the programme: a copy of A and G; for a dense Q one more matrix of its size.
// References: Mehrotra (1992), On the implementation of a primal-dual interior point method; Vanderbei (1994), LOQO;
// Schölkopf & Smola (2002), 6.4 and 10.3.
#pragma once

#include "mercer/solvers/convex/program/convex_program.h"

namespace mercer {

/// Whether a failure to converge is explained by two more programmes (infeasibility.h).
enum class Certificates { off, on };

struct InteriorPointOptions {
  double tolerance = 1e-8;     ///< of stationarity, feasibility and the gap, each relative to its size
  Index max_iterations = 100;  ///< Newton steps
  Certificates certificates = Certificates::on;
};

/// Same bits for any number of threads. InvalidArgument for a programme or options that are not allowed, NumericalError
/// where a step meets a Q that is not positive semidefinite, Stopped.
ConvexSolution solve_convex_program(const ConvexProgram& program, const InteriorPointOptions& options, const Run& run);

}  // namespace mercer
