// −(−k)^a, 0 < a ≤ 1, of a kernel k ≤ 0 that is conditionally positive of order 1: so is the result. Spec C7.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& root_entry();

}  // namespace mercer
