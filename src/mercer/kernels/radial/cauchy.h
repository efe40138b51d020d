// Cauchy kernel 1/(1 + r²/ℓ²): heavy tails, infinitely smooth.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& cauchy_entry();

}  // namespace mercer
