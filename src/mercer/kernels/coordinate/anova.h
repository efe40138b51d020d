// ANOVA kernels over the one-dimensional Gaussians g_c = exp(−γ(x_c−y_c)²):
//
//   anova     Σ_{c_1<…<c_D} g_{c_1} … g_{c_D}, the elementary symmetric function of degree D, by the recursion
//             E_d ← E_d + g_c E_{d−1}, O(columns · D). Spec 13-K; Stitson et al. (1997)
//   anovadot  (Σ_c g_c)^D, the function that kernlab calls so
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& anova_entry();
const KernelEntry& anovadot_entry();

}  // namespace mercer
