// Sparse Fisher discriminant of two classes: few kernel functions, by the sum of absolute coefficients,
//
//   min ‖ξ‖² + C‖α‖₁   over α, b     with Kα + b1 = y + ξ and Σ ξ_i = 0 inside each class        (y = ±1)
//   = min α'Nα + C‖α‖₁               with α'(μ_+ − μ_-) = 2,   b = 1 − α'μ_+
//
// (sums are weighted). The least squares problem min ‖√W H(y − Ka)‖² + 2λ‖a‖₁ has the same directions: with s = a'(μ_+ −
// μ_-), α = 2a/s solves the above for C = 4λ/s. Its solutions are piecewise linear in λ, and from λ = ∞, where a = 0, every
// piece is known in closed form (Osborne, Presnell & Turlach 2000; Efron, Hastie, Johnstone & Tibshirani 2004), so that
// the wanted C is met exactly. Where C is not given, it is where generalised cross-validation of the least squares
// problem, RSS/(1 − (1 + 2 functions)/n)², is least at the ends of the pieces; a function that was chosen out of n costs
// more than one that was given, hence the 2 (Friedman & Silverman 1989).
// Reference: Schölkopf & Smola (2002), 15.2 and (15.10); Mika, Rätsch & Müller (2001).
#pragma once

#include <optional>
#include <vector>

#include "mercer/linalg/solve_status.h"
#include "mercer/solvers/fisher/fisher.h"

namespace mercer {

struct FisherSparseOptions {
  std::optional<double> c = {};  ///< C > 0; empty: by generalised cross-validation
  Index size = 0;                ///< most functions at once; 0: no limit
  Index max_steps = 0;           ///< pieces of the path; 0: 8 per row

  void validate() const;
};

struct FisherSparse {
  SolveStatus status = SolveStatus::converged;  ///< iteration_limit: `size` or max_steps came before C; stopped
  std::vector<Index> rows;                      ///< of the coefficients that are not 0
  std::vector<double> coefficients;             ///< α
  double c = 0;                                 ///< the C that this is the solution of
  double offset = 0;                            ///< b: class means at ±1
  double objective = 0;                         ///< ‖ξ‖² + C‖α‖₁
  double violation = 0;  ///< of the optimality conditions, relative to the C at which the path begins
  Index steps = 0;
  Matrix<double> values;  ///< n × 1: Kα + b
};

/// Takes K (n × n, both triangles) and overwrites it. n² flops per step and about as many steps as functions.
/// InvalidArgument for other than two classes, NumericalError where the class means are the same.
FisherSparse fisher_sparse(MatrixView<double> k, const ClassRows& rows, const FisherSparseOptions& options,
                           const Run& run);

}  // namespace mercer
