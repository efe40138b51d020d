// The interior point method behind solvers/convex/linear_program.h. With a = p − q, one equation per row and one tube variable,
//
//   min  Σ_j c_j (p_j + q_j) + Σ_i up_i ξ_i + down_i s_i
//   s.t. Φ(p − q) + U b + v + ξ − s = t,   p, q, ξ, s ≥ 0,  |v_i| ≤ ε_i,
//
// whose dual is  max tᵀθ − Σ ε_i |θ_i|  s.t.  |Φ_jᵀθ| ≤ c_j,  −down_i ≤ θ_i ≤ up_i,  Uᵀθ = 0; U are the columns without a
// price, that of ones for an offset. Where coefficients are not negative there is no q, and Φ_jᵀθ ≤ c_j alone.
// A Newton step needs one symmetric system, (ΦDΦᵀ + E) Δθ + U Δb = r with diagonal D (columns) and E (rows): a Cholesky
// factor of order n, or of D⁻¹ + ΦᵀE⁻¹Φ, of the number of columns, whichever is smaller.
// The general method (interior/interior_point.h) solves the same programmes, as rows (Φ, −Φ, I, −I, 1) of 2M + 2n + 1
// variables, of which it knows neither that columns come in pairs nor that most coefficients end at 0: for 500 and 1000
// rows it takes 18 and 43 times as long as column generation with this one (docs/internals/interior-point.md). So this one
// stays; the general one checks it (tests/solvers/convex/solvers_against_interior_point_test.cpp).
// Where Mehrotra's correction leads astray it is weighed by what the predictor reached (Colombo & Gondzio (2008), Further
// development of multiple centrality correctors).
// References: S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2 (1992);
// S. J. Wright, Primal-Dual Interior-Point Methods (1997), chapters 10 and 11.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/linalg/view.h"

namespace mercer {

struct CheckLosses;
enum class CoefficientSigns;

struct InteriorPoint {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;
  std::vector<double> positive;        ///< p
  std::vector<double> negative;        ///< q; 0 where coefficients are not negative
  std::vector<double> positive_slack;  ///< c − Φᵀθ, > 0
  std::vector<double> negative_slack;  ///< c + Φᵀθ, > 0
  std::vector<double> unpriced;        ///< b
  std::vector<double> multipliers;     ///< θ
  std::vector<double> row_freedom;     ///< E: small where f_i is held at a kink of its loss
};

/// What the programme is beside its losses and prices. Views of the caller's.
struct ProgramColumns {
  ConstMatrixView<double> features;  ///< Φ
  ConstMatrixView<double> unpriced;  ///< U, the column of ones last
  bool has_offset;                   ///< whether there is that column
  CoefficientSigns signs;
};

/// Stops where primal and dual value differ by less than `tolerance` times their size. n M min(n, M) + min(n, M)³/3
/// operations per iteration, 10 to 30 iterations. Arguments as checked by solve_linear_program, some loss not 0 at a = 0.
InteriorPoint interior_point(const ProgramColumns& columns, const CheckLosses& losses, std::span<const double> prices,
                             double tolerance, Index max_iterations, const Run& run);

}  // namespace mercer
