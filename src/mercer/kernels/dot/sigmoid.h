// Sigmoid kernel tanh(γ xᵀx' + c). It is never positive definite, whatever γ and c. Spec K6.
#pragma once

#include "mercer/kernels/dot/dot_node.h"

namespace mercer {

const KernelEntry& sigmoid_entry();

}  // namespace mercer
