// Ball spline of odd order n in N dimensions: the (n+1)-fold convolution of a ball's indicator with itself, 1 at r = 0
// and zero from r = (n+1)ℓ on. Order 1 is the share of its volume that a ball of radius ℓ around x has in common with
// one around x', the triangle 1 − r/(2ℓ) on the line; on the line order n is the B-spline with knots 2ℓ apart. Positive
// definite in up to N dimensions. Spec K8.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& ball_spline_entry();

}  // namespace mercer
