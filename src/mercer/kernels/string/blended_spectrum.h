// The blended spectrum kernel: substrings of every length 1 … k, those of length n with weight w_n,
//
//   k(x, y) = Σ_{n=1}^k w_n Σ_{|s| = n} count_s(x) count_s(y),   w_n = λⁿ, or as listed
//
// (Shawe-Taylor, Cristianini 2004, 11.2; kernlab's boundrange is λ = 1). O(k · length) per string.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& blended_spectrum_entry();

}  // namespace mercer
