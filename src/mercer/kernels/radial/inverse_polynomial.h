// Inverse polynomial kernel (1 + r²/ℓ²)^(−(N+1)/2) in N dimensions: its spectrum is exp(−ℓ|ω|). Positive in any
// dimension, whatever N. Spec K19.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& inverse_polynomial_entry();

}  // namespace mercer
