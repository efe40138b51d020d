// Power exponential kernel exp(−(r/ℓ)^β), 0 ≤ β ≤ 2: from a constant (β = 0, 1/e also at r = 0) over `exponential`
// (β = 1) to a Gaussian (β = 2). Spec K5. Sampling: Kanter, "Stable densities under change of scale and total variation
// inequalities", 1975.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& power_exponential_entry();

}  // namespace mercer
