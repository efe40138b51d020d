// Centring in the feature space on the mean of the training samples z:
//
//   k(x, y) − (1/n) Σ_i k(x, z_i) − (1/n) Σ_i k(z_i, y) + (1/n²) Σ_ij k(z_i, z_j)
//
// (no factor ½). Positive where k is conditionally positive of order 1. Spec C5. KernelPreparation costs one pass over
// samples × training samples; the first contraction one more.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& center_entry();

}  // namespace mercer
