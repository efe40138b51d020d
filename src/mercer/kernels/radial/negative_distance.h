// Negative distance −(r/ℓ)^β, 0 ≤ β ≤ 2: conditionally positive of order 1; β = 0 is the constant −1, also at r = 0.
// Spec K11.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& negative_distance_entry();

}  // namespace mercer
