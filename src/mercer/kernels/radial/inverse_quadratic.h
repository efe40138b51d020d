// Inverse quadratic kernel 1/(a² + r²/ℓ²), the damped oscillator of spec K18.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& inverse_quadratic_entry();

}  // namespace mercer
