// Densities from kernel PCA: the Parzen window estimate, without what the last components add to it,
//
//   p_q(x) = Σ_{c ≤ q} ⟨v_c, μ⟩ ⟨v_c, Φ(x)⟩ = Σ_i β_i k(x_i, x),   ⟨v_c, μ⟩ = κ_c mean_i α_ic
//
// the projection of the mean μ of the images on the first q directions, uncentred, for a kernel that is a window (not
// negative, integral 1). With all components it is (1/n) Σ_i k(x_i, x) exactly. A truncated estimate may be negative.
// References: Girolami (2002); Schölkopf & Smola (2002), 14.2.3.
#pragma once

#include <span>
#include <vector>

#include "mercer/features/kernel_pca.h"

namespace mercer {

/// β, one per row, from the components of kernel_pca or leading_kernel_pca with FeatureOrigin::zero and these weights.
/// InvalidArgument where they are centred.
std::vector<double> kernel_pca_density(const KernelPca& pca, std::span<const double> weights);

}  // namespace mercer
