// Kernels that do not look at the inputs:
//
//   constant  c for every pair: an offset that is learnt
//   white     σ² where both sides are the same sample, 0 otherwise; so 0 between training and test samples, even for
//             equal values. Spec K30 (corrected)
#pragma once

namespace mercer {

class Kernel;
struct KernelEntry;

const KernelEntry& constant_entry();
const KernelEntry& white_entry();
/// Whether the kernel is one of these, which look at no column.
bool looks_at_no_column(const Kernel& kernel);

}  // namespace mercer
