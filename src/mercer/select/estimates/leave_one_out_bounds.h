// What the coefficients of a support vector machine say of its leave-one-out error, without refitting. Row i can be
// misclassified by the machine fitted without it only if
//
//   2 α_i R²_Δ + ξ_i ≥ 1,     R²_Δ = max k(x, x) − min k(x, x')      with an offset, at least one free support vector
//   α_i k(x_i, x_i) + ξ_i ≥ 1                                        without an offset
//
// so that rows that are no support vectors never count. (With k(x_i, x_i) in the place of R²_Δ the first is no bound
// where k takes negative values.) The ξα estimates put a number ρ in the place of 2: with ρ = 2 they are this bound,
// with ρ = 1 they are closer on average and no bound; they also estimate recall and precision.
// References: Jaakkola & Haussler (1999); Joachims, "Estimating the generalization performance of a SVM efficiently"
// (2000); Schölkopf & Smola (2002), 12.2.2.
#pragma once

#include <optional>
#include <span>

#include "mercer/select/estimates/two_class_machine.h"

namespace mercer {

/// An upper bound on the number of leave-one-out errors of a machine with offset; none where no support vector is free
/// (the offset is not unique then). A row whose machine, refitted without it, has no free support vector is not covered
/// for the same reason: any of many offsets may be wrong about it. Comparisons allow for machine.gap. O(n).
std::optional<LeaveOneOutCount> lagrange_bound(const TwoClassMachine& machine, double kernel_range);

/// The same of a machine without offset. `diagonal`: k(x_i, x_i). Such a machine has no equality constraint.
LeaveOneOutCount lagrange_bound_without_offset(const TwoClassMachine& machine, std::span<const double> diagonal);

struct XiAlphaEstimate {
  LeaveOneOutCount count;
  double error = 0;
  double recall = 0;     ///< of the positive class; NaN where there is none
  double precision = 0;  ///< NaN where nothing would be called positive
  double f1 = 0;
};

/// rho > 0. O(n).
XiAlphaEstimate xi_alpha_estimate(const TwoClassMachine& machine, double kernel_range, double rho = 1);

}  // namespace mercer
