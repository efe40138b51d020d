// Rational quadratic kernel (1 + r²/(2αℓ²))^−α: a mixture of Gaussians of all widths; α → ∞ is rbf.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& rq_entry();

}  // namespace mercer
