// A change from one kernel to another along a column: s(x) k₁ s(y) + (1 − s(x)) k₂ (1 − s(y)) with the logistic
// s(x) = 1/(1 + exp(−steepness (x_column − location))): k₁ rules above the location, k₂ below it.
// Reference: Lloyd et al. (2014).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& changepoint_entry();

}  // namespace mercer
