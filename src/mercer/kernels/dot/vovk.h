// Vovk's real polynomial (1 − ξ^p)/(1 − ξ) = Σ_{n<p} ξⁿ, ξ = xᵀx'. Spec K22.
#pragma once

#include "mercer/kernels/dot/dot_node.h"

namespace mercer {

const KernelEntry& vovk_entry();

}  // namespace mercer
