// Exponential kernel exp(−r/ℓ): the Matérn kernel of ν = 1/2, Ornstein-Uhlenbeck in one dimension. Spec K5 (β = 1), M9.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& exponential_entry();

}  // namespace mercer
