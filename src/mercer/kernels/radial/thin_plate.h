// Thin plate spline (−1)^(n+1) s^(2n) ln s, s = r/ℓ, 0 at s = 0: conditionally positive of order n + 1, so that the
// model needs all polynomials of degree ≤ n beside it. Spec K12 with its correction.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& thin_plate_entry();

}  // namespace mercer
