// −ln(1 − k) of a kernel k ≤ 0 that is conditionally positive of order 1: so is the result. Spec C7, K13.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& log_entry();

}  // namespace mercer
