// A convex programme with linear constraints, and a solution of it:
//
//   min ½xᵀQx + cᵀx + Σ q_i(x_i)     Ax = b,   lower ≤ Gx ≤ upper,   l ≤ x ≤ u
//
// Every bound may be infinite; l_i = u_i fixes a variable. At an optimum there are multipliers y of the equalities, v of
// the ranges and z of the bounds with
//
//   Qx + c + q'(x) = Aᵀy + Gᵀv + z,     v_i > 0 only where (Gx)_i = lower_i, v_i < 0 only where it is upper_i; z likewise,
//
// and any such point with multipliers gives a bound on the optimum (optimality.h). The machines of Schölkopf & Smola
// (2002), 10.3.3, in signed form, x = α:
//
//   C-SVC        Q = yyᵀ∘K     c = −1             A = yᵀ, b = 0                 0 ≤ α ≤ C       offset −y₁
//   ν-SVC        Q = yyᵀ∘K     c = 0              A = (yᵀ; 1ᵀ), b = (0, ν)      0 ≤ α ≤ 1/m     offset −y₁, ρ = y₂
//   ε-SVR        [K −K; −K K]  c = (ε − t, ε + t) A = (1ᵀ, −1ᵀ), b = 0          0 ≤ α ≤ C       offset −y₁
//   ν-SVR        [K −K; −K K]  c = (−t, t)        and 1ᵀα = Cν                  0 ≤ α ≤ C/m     offset −y₁, ε = −y₂
//   one-class    Q = K         c = 0              A = 1ᵀ, b = 1                 0 ≤ α ≤ 1/(νm)  ρ = y₁
//   SVDD         Q = 2K        c = −diag K        A = 1ᵀ, b = 1                 0 ≤ α ≤ 1/(νm)  R² = αᵀKα − y₁
//   Huber's and squared losses: 1/C or σ/C more on the diagonal, as PowerTerm of exponent 2 (separable_term.h)
//   with functions Φ beside the kernel: A = (Φᵀ, −Φᵀ), b = 0; their coefficients are −y
//
// References: Schölkopf & Smola (2002), 6.3 and 10.3; Boyd & Vandenberghe (2004), chapter 5.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/linalg/view.h"
#include "mercer/solvers/convex/program/quadratic_term.h"
#include "mercer/solvers/convex/program/separable_term.h"

namespace mercer {

/// The matrices are views: the caller keeps the memory. Empty vectors of bounds: infinite.
struct ConvexProgram {
  std::shared_ptr<const QuadraticTerm> quadratic = {};  ///< Q; none: 0
  std::vector<double> linear = {};                      ///< c; its length is the number of variables
  std::shared_ptr<const SeparableTerm> separable = {};  ///< q; none: 0
  ConstMatrixView<double> equality = {};                ///< A
  std::vector<double> equality_values = {};             ///< b
  ConstMatrixView<double> range = {};                   ///< G
  std::vector<double> range_lower = {};
  std::vector<double> range_upper = {};
  std::vector<double> lower = {};
  std::vector<double> upper = {};

  Index size() const { return static_cast<Index>(linear.size()); }
  double lower_of(Index i) const {
    return lower.empty() ? -std::numeric_limits<double>::infinity() : lower[static_cast<std::size_t>(i)];
  }
  double upper_of(Index i) const {
    return upper.empty() ? std::numeric_limits<double>::infinity() : upper[static_cast<std::size_t>(i)];
  }
  double range_lower_of(Index i) const {
    return range_lower.empty() ? -std::numeric_limits<double>::infinity() : range_lower[static_cast<std::size_t>(i)];
  }
  double range_upper_of(Index i) const {
    return range_upper.empty() ? std::numeric_limits<double>::infinity() : range_upper[static_cast<std::size_t>(i)];
  }
  bool has_quadratic() const { return quadratic != nullptr && !quadratic->is_zero(); }
};

/// InvalidArgument, naming the part and the place: sizes that do not fit together, numbers that are not finite, bounds
/// that contradict each other.
void require_valid(const ConvexProgram& program);

/// A point and multipliers for it.
struct ConvexPoint {
  std::vector<double> x;
  std::vector<double> equality_multipliers;  ///< y
  std::vector<double> range_multipliers;     ///< v: > 0 pushes up from the lower side
  std::vector<double> bound_multipliers;     ///< z: likewise
};

enum class ProgramStatus {
  converged,        ///< the point is optimal within the tolerance: verified from the programme and the point alone
  infeasible,       ///< no point meets the constraints: `certificate` proves it
  unbounded,        ///< there are feasible points, and the objective has no lower bound: `ray` proves it
  iteration_limit,  ///< the allowed iterations ran out first
  stalled,          ///< rounding allows no further progress
};
constexpr auto words_of(ProgramStatus) {
  return std::array{Word{ProgramStatus::converged, "converged"}, Word{ProgramStatus::infeasible, "infeasible"},
                    Word{ProgramStatus::unbounded, "unbounded"},
                    Word{ProgramStatus::iteration_limit, "iteration_limit"}, Word{ProgramStatus::stalled, "stalled"}};
}
constexpr std::string_view to_string(ProgramStatus status) { return word_of(status); }

/// Farkas: with g = Aᵀy + Gᵀv every x within its bounds has gᵀx ≤ Σ max(g_j l_j, g_j u_j), which is `margin` > 0 less
/// than bᵀy + Σ min(v_i lower_i, v_i upper_i), what Ax = b and the ranges ask for.
struct FarkasCertificate {
  std::vector<double> equality;  ///< y
  std::vector<double> range;     ///< v
  double margin = 0;
};

struct ConvexSolution {
  ProgramStatus status = ProgramStatus::stalled;
  std::string message;  ///< a sentence that says how it ended
  Index iterations = 0;
  ConvexPoint point;
  double primal = 0;              ///< ½xᵀQx + cᵀx + Σ q_i(x_i)
  double dual = 0;                ///< what the multipliers prove: no feasible point is lower, up to their own residual
  double relative_gap = 0;        ///< (primal − dual) / the larger of their sizes
  FarkasCertificate certificate;  ///< of status infeasible
  std::vector<double> ray;  ///< of status unbounded: d with Qd = 0, cᵀd < 0, along which everything stays feasible
};

}  // namespace mercer
