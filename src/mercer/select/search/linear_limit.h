// Whether a radial kernel is so wide that on given rows it is a linear kernel but for constants. As its width grows,
//
//   φ(u) = φ(0) + φ'(0) u + …,   u ∝ ‖x − z‖² = ‖x‖² + ‖z‖² − 2 xᵀz
//
// and what is constant in x or in z changes nothing for a machine with an offset whose coefficients sum to 0 (Keerthi & Lin
// 2003). Centering takes both constants away: K_c and (XXᵀ)_c are compared by their angle.
#pragma once

#include <optional>

#include "mercer/base/run.h"
#include "mercer/data/weighted_samples.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

/// The c with K_c ≈ c (XXᵀ)_c, where K_c/‖K_c‖ and (XXᵀ)_c/‖(XXᵀ)_c‖ of at most 256 rows, evenly spaced, differ by less than 0.05.
/// Nothing where they differ by more, for kernels that are not radial or whose widths are not resolved, and for samples without
/// numbers. O(256² d). Coefficients may be so large that what is left of K makes a difference all the same.
std::optional<double> linear_slope_on(const Kernel& kernel, const Samples& samples, const Run& run);

}  // namespace mercer
