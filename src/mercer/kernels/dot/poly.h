// Polynomial kernel (γ xᵀx' + c)^d: all monomials up to degree d, c weighing the low ones. Spec K2, K3, M6.
#pragma once

#include "mercer/kernels/dot/dot_node.h"

namespace mercer {

const KernelEntry& poly_entry();

}  // namespace mercer
