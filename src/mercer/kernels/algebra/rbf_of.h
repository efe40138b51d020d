// Gaussian of the distance that a kernel defines: exp(−γ d²), d² = k(x, x) + k(y, y) − 2 k(x, y). Positive where k is
// conditionally positive of order 1. Spec C16, C17 (the scale of a positive kernel, 2.78).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& rbf_of_entry();

}  // namespace mercer
