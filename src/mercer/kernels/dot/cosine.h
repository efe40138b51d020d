// Cosine kernel xᵀx'/(‖x‖‖x'‖); 0 where one of the vectors is 0. Spec K26.
#pragma once

#include "mercer/kernels/dot/angular_node.h"

namespace mercer {

const KernelEntry& cosine_entry();

}  // namespace mercer
