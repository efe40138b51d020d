// Kernels on histograms, x ≥ 0: χ² and its additive form.
//
//   chi2           exp(−γ Σ_c (x_c−y_c)²/(x_c+y_c))
//   additive_chi2  Σ_c 2 x_c y_c/(x_c+y_c)        (not scikit-learn's −Σ(x−y)²/(x+y), which is conditionally positive)
//
// Coordinates that are 0 on both sides contribute 0. Reference: Vedaldi & Zisserman (2012).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& chi2_entry();
const KernelEntry& additive_chi2_entry();

}  // namespace mercer
