// Multiquadric kernel −(r²/ℓ² + c²)^½: conditionally positive of order 1, never positive. Spec K10.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& multiquadric_entry();

}  // namespace mercer
