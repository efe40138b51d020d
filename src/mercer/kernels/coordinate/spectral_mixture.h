// Spectral mixture Σ_q w_q Π_c exp(−2π²τ_c²v_qc) cos(2πτ_cμ_qc), τ = x − y: a stationary kernel whose spectral density
// is a mixture of Gaussians. Reference: Wilson & Adams (2013).
//
// Q = number of weights. `means` and `variances` are lists of Q numbers (the same in every column), or of Q·columns:
// component by component, and within a component column by column. A single number stands for all.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& spectral_mixture_entry();

}  // namespace mercer
