// The exact reduced set of k(x, y) = (γ xᵀy)²: functions are quadratic forms xᵀSx with S = Σ_i a_i x_i x_iᵀ, whose
// eigenvectors are all that is needed,
//
//   S = Σ_r λ_r v_r v_rᵀ:      z_r = √|λ_r| v_r,  β_r = sign λ_r,  at most d of them;
//   with the r largest |λ| the squared error is γ² Σ of the remaining λ².
//
// Reference: Schölkopf & Smola (2002), (18.52)-(18.54); Burges (1996).
#pragma once

#include "mercer/expansion/reduced_set/target.h"

namespace mercer {

/// Whether the kernel is c·poly(degree=2, coef0=0), c > 0.
bool is_quadratic_form(const Kernel& kernel);

/// At most `size` points, the best there are. One output only, numeric samples: InvalidArgument elsewhere. m d² + 9d³.
ReducedSet reduce_quadratic(const ReductionTarget& target, Index size, const Run& run);

}  // namespace mercer
