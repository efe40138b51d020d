// The linear program of ν-regression: the tube of solvers/convex/linear_program.h is found, at a price,
//
//   min_{a,b,ε}  Σ_i w_i max(0, |t_i − f_i| − ε) + ν ε Σ_i w_i + Σ_j c_j |a_j|,   f = Φa + b
//
// as a program of that form with two rows per row and a column more,
//
//   t_i − (f_i + ε) costs where it is positive,  t_i − (f_i − ε) where it is negative,
//
// whose coefficient ε never is negative: a negative one would pay its price and gain nothing. At the optimum rows outside of the tube weigh
// at most ν Σw, and those outside or on its border at least as much. Where ν ≥ 1, ε = 0 is an optimum. Where that program
// stalls, ε is searched by itself: programs of given ε bound the objective from below at all others.
// References: Smola, Schölkopf & Rätsch (1999), Linear programs for automatic accuracy control in regression; Schölkopf &
// Smola (2002), (9.49)-(9.51).
#pragma once

#include <span>

#include "mercer/solvers/convex/linear_program.h"

namespace mercer {

struct TubeProgramSolution {
  LinearProgramSolution program;  ///< coefficients of Φ; multipliers θ of the rows, with Σ|θ| ≤ νΣw
  double tube = 0;                ///< ε
};

/// `nu` is positive. Memory: features twice beside what solve_linear_program() takes for as many rows. Throws as that.
TubeProgramSolution solve_tube_program(ConstMatrixView<double> features, std::span<const double> targets,
                                       std::span<const double> weights, double nu, std::span<const double> prices,
                                       const LinearProgramOptions& options, const Run& run);

}  // namespace mercer
