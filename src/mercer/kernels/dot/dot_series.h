// Power series of the inner product, Σ a_n ξⁿ, ξ = xᵀx': positive definite in every dimension if and only if all a_n ≥
// 0. Spec K24.
#pragma once

#include "mercer/kernels/dot/dot_node.h"

namespace mercer {

const KernelEntry& dot_series_entry();

}  // namespace mercer
