// Logarithm of the distance −ln(1 + (r/ℓ)^β), 0 < β ≤ 2: conditionally positive of order 1. Spec K13.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& log_distance_entry();

}  // namespace mercer
