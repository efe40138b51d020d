// k₁ + k₂ + …: gradients pass through unchanged.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& sum_entry();

}  // namespace mercer
