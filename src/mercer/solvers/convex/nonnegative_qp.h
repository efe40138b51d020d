// Small quadratic programmes over nonnegative numbers, solved exactly by an active set:
//
//   min ½ xᵀBx + gᵀx     x ≥ 0, and where it is asked for aᵀx = aᵀ(start), a > 0
//
// A set of free variables is kept; the others are 0. On the free ones the problem without bounds is solved; a variable
// that would become negative leaves the set, the one whose multiplier is most wrong enters it. For some hundreds of
// variables at most: each change of the set is one small factorisation.
// It stays beside the general interior point (interior/interior_point.h), which takes 4 times as long for 8 variables and
// twice as long for 50 (half as long for 200), and never ends with exact zeros.
// References: Lawson & Hanson (1974), chapter 23; Nocedal & Wright (2006), 16.5.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/view.h"

namespace mercer {

struct NonnegativeQp {
  ConstMatrixView<double> quadratic;      ///< B, symmetric and positive semidefinite
  std::span<const double> linear;         ///< g
  std::span<const double> equality = {};  ///< a; empty: no equality
  std::span<const double> start = {};     ///< nonnegative; empty: 0. With an equality it says the sum
};

/// The minimiser; where B is singular one of them, within 1e-12 of the largest diagonal entry in B. The conditions
/// hold to about 1e-12 of the largest term. InvalidArgument for sizes that do not fit together or a start below 0;
/// without an equality the problem must be bounded (g in the range of B, or x = 0 for what is not).
std::vector<double> solve_nonnegative_qp(const NonnegativeQp& problem, const Run& run);

}  // namespace mercer
