// Support vector regression with a tube of a given shape, f = g + b with g = Kβ at the rows: rows within
// w_i = e_i + Σ_q ε_q ζ_q(x_i), the widths e fixed and the ε_q ≥ 0 to be found,
//
//   min ½βᵀKβ + Σ_i C_i max(0, |y_i − f_i| − w_i) + Σ_q B_q ε_q
//
// where a bound C_i may be infinite: no error beyond the tube then. The dual has a range per function ζ,
//
//   max yᵀβ − eᵀ(a⁺ + a⁻) − ½βᵀKβ     β = a⁺ − a⁻, Σβ = 0, 0 ≤ a± ≤ C_i, Σ_i (a⁺ + a⁻)_i ζ_q(x_i) ≤ B_q
//
// solved by the interior point (interior/interior_point.h); b and the ε_q are multipliers. Coefficients next to a bound are
// put on it, Newton's method on the rows that are on an edge makes the rest exact, and the gap of the two objectives,
// evaluated anew for what came out, is the proof. With ζ = 1, e = 0 and B = νΣC this is ν-SVR; with no ζ, ε-SVR, a tube per
// row. References: Schölkopf & Smola (2002), (9.52)-(9.57) and (9.22) with a tube per row.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/linalg/view.h"

namespace mercer {

struct ShapedTube {
  ConstMatrixView<double> gram;         ///< K, both triangles; positive
  std::span<const double> targets;      ///< y
  std::span<const double> bounds;       ///< C_i > 0; infinite: all rows are within the tube
  std::span<const double> fixed = {};   ///< e ≥ 0; empty: 0
  ConstMatrixView<double> shapes = {};  ///< ζ ≥ 0: rows × functions
  std::span<const double> prices = {};  ///< B ≥ 0, one per function
};

struct ShapedTubeSolution {
  std::vector<double> coefficients;  ///< β
  std::vector<double> values;        ///< Kβ
  double offset = 0;                 ///< b
  std::vector<double> widths;        ///< ε, one per function
  double primal = 0;
  double dual = 0;
  double relative_gap = 0;  ///< (primal − dual) / the larger of their sizes, and how far a hard tube is missed
  Index bounded = 0;        ///< coefficients at their bound
  Index iterations = 0;
  SolveStatus status = SolveStatus::converged;  ///< by the gap against the tolerance
  /// Bounds are infinite and no function is within the fixed tube: by how much all widths are too small, at the least. It is
  /// the optimum of a programme of its own.
  std::optional<double> least_excess = {};
};

/// NumericalError where K is not positive, or the iteration ends where rounding leaves no solution. Same bits for any number
/// of threads. Memory beside K: a matrix of its size.
ShapedTubeSolution solve_shaped_tube(const ShapedTube& problem, double tolerance, const Run& run);

}  // namespace mercer
