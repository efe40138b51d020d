// Inverse multiquadric kernel (r²/ℓ² + c²)^−½. Spec K9.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& inverse_multiquadric_entry();

}  // namespace mercer
