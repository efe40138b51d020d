// Gaussian kernel exp(−γ‖x−x'‖²) = exp(−‖x−x'‖²/(2ℓ²)), γ = 1/(2ℓ²); a list of ℓ gives one length scale per column
// (automatic relevance determination), an infinite one switches its column off. Spec K4, M1-M3.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& rbf_entry();

}  // namespace mercer
