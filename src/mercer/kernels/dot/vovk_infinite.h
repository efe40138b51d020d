// Vovk's infinite polynomial 1/(1 − ξ) = Σ ξⁿ, ξ = xᵀx', inside the unit ball. Spec K23.
#pragma once

#include "mercer/kernels/dot/dot_node.h"

namespace mercer {

const KernelEntry& vovk_infinite_entry();

}  // namespace mercer
