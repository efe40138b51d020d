// Linear kernel xᵀx'. Spec K1, M8.
#pragma once

#include "mercer/kernels/dot/dot_node.h"

namespace mercer {

const KernelEntry& linear_entry();

}  // namespace mercer
