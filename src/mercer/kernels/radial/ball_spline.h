// Ball spline of order 1 in N dimensions: the share of its volume that a ball of radius ℓ around x has in common with
// one around x'. It is the convolution of the ball's indicator with itself, hence positive definite in up to N
// dimensions, zero from r = 2ℓ on, and the triangle 1 − r/(2ℓ) on the line. With x = 1 − r²/(4ℓ²) it is the regularised
// incomplete beta function I_x((N+1)/2, ½), for whole N the finite sums
//
//   N odd    1 − √(1−x) Σ_{j ≤ (N−1)/2} c_j x^j,                        c_0 = 1, c_j = c_{j−1} (2j−1)/(2j)
//   N even   (2/π) (asin √x − √(x(1−x)) Σ_{j < N/2} d_j x^j),           d_0 = 1, d_j = d_{j−1} 2j/(2j+1)
//
// Spec K8, n = 1.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& ball_spline_entry();

}  // namespace mercer
