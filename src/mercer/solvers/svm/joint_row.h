// One sample of a joint multi-class machine: how far its row of coefficients is from optimal, and the row that is
// optimal while all other rows stay. With f_c the function values at the sample (offsets included) and y its class:
//
//   Weston-Watkins   −C ≤ B_r ≤ 0 for r ≠ y, Σ_c B_c = 0          gradient by a_r = −B_r:  f_y − f_r − 2
//   Crammer-Singer   B_r ≤ 0 for r ≠ y, B_y ≤ C, Σ_c B_c = 0      gradient by B_c:         f_c − 2δ_cy
//
// The minimiser of ½κ‖B‖² + Σ_c (v_c − 2δ_cy) B_c over either set has one unknown, the root of a monotone piecewise
// linear function: for Weston-Watkins A = Σ_r a_r with a_r = clip(q_r − A, 0, C), q_r = (v_r − v_y + 2)/κ; for
// Crammer-Singer θ with B_c = min(Cδ_cy, D_c − θ), D_c = (2δ_cy − v_c)/κ (Crammer & Singer 2001, section 6).
#pragma once

#include <span>

#include "mercer/base/index.h"

namespace mercer {

enum class JointLoss { weston_watkins, crammer_singer };

/// What the class of a sample should be ahead of every other: 2, so that two classes are the two-class machine with
/// values −1 and 1 at the margin and the same C.
inline constexpr double joint_margin = 2;

struct JointSample {
  Index own = 0;     ///< its class
  double bound = 0;  ///< C_i > 0
};

/// By how much the KKT conditions are violated, in the units of function values; 0 where they hold. O(k).
double joint_violation(JointLoss loss, const JointSample& sample, std::span<const double> values,
                       std::span<const double> row);

/// The optimal row for κ > 0 and finite v. Coefficients at a bound are there exactly, those of the other classes add
/// up to minus the own one to rounding. O(k) per kink that is crossed on the way to the root, few in practice.
void minimize_joint_row(JointLoss loss, const JointSample& sample, double curvature, std::span<const double> v,
                        std::span<double> row);

/// Σ ξ of the sample: Σ_r max(0, 2 + f_r − f_y) (Weston-Watkins) or its largest term (Crammer-Singer).
double joint_slack(JointLoss loss, const JointSample& sample, std::span<const double> values);

}  // namespace mercer
