// The linear program of ν-classification: the margin ρ is found, at a price,
//
//   min_{a,b,ρ≥0,ξ≥0}  Σ_i w_i ξ_i − ν ρ W     s_i f_i ≥ ρ t − ξ_i,  Σ_j |a_j| = 1,   f = Φa + Ub,  W = Σw
//
// (t the margin of a row, 1 as a rule). Divided by ρ its solution is that of solvers/convex/linear_program.h at a price λ of
// coefficients, and λ is what is searched: the least objective L(λ) of that program grows with λ, is concave and piecewise
// linear, and the price is where
//
//   L(λ) = ν t W,     so that rows of at most the weight νW are margin errors, and rows with s f ≤ t weigh at least νW.
//
// Every program shows a line above L (its losses and its Σ|a|) and multipliers; where the line meets νtW is the next price
// (Newton's method: from the left it never goes too far, and it ends where L has its last corner before the price). What
// the lines say is the primal value −λ of the program above, multipliers with Σ t|θ| = νtW prove a dual value: the gap is
// theirs. References: Schölkopf & Smola (2002), (7.64)-(7.66); Rätsch, Schölkopf, Smola, Mika, Onoda & Müller (2000).
#pragma once

#include <span>

#include "mercer/solvers/convex/linear_program.h"

namespace mercer {

struct MarginProgramSolution {
  /// Coefficients, offset and multipliers in units of the margin: s f ≥ t is right by the margin. objective = −price,
  /// gap: to the dual, both of the program above with Σ|a| = 1 divided by W.
  LinearProgramSolution program;
  double price = 0;  ///< λ of the program whose solution this is
  double rho = 0;    ///< with Σ|a| = 1
};

/// The losses are one-sided (of every row up or down is 0), with targets ±t. InvalidArgument where ν is above the largest that
/// is feasible (2 min(Σ₊w, Σ₋w)/Σw for two classes with an offset), which it names; NumericalError where ρ = 0 within
/// rounding: ν is below the least that has a margin. Otherwise throws as solve_linear_program(), of which it takes about ten.
MarginProgramSolution solve_margin_program(ConstMatrixView<double> features, const CheckLosses& losses, double nu,
                                           const LinearProgramOptions& options, const Run& run);

}  // namespace mercer
