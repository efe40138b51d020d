// Probability product kernels k(x, y) = ∫ p_x(u)^ρ p_y(u)^ρ du, where every sample x stands for a distribution p_x of its own
// (Jebara, Kondor & Howard 2004; Murphy 2012, 14.2.6). ρ = ½ is the Bhattacharyya kernel, with k(x, x) = 1; ρ = 1 the
// expected likelihood.
//
//   probability_product           vectors: a Gaussian of variance σ² around every point, d columns:
//                                 [(2πσ²)^−ρ (πσ²/ρ)^½]^d exp(−ρ|x−y|²/(4σ²)); ρ = 1: (4πσ²)^(−d/2) exp(−|x−y|²/(4σ²))
//   probability_product_bags      bags of vectors: the Gaussian of mean and covariance of every bag
//   probability_product_counts    non-negative vectors: the multinomial x/Σx, k = Σ_j p_j^ρ q_j^ρ
//   probability_product_strings   strings: the multinomial of their substrings of length k
//   probability_product_hmm       strings: a hidden Markov model fitted to every string, ρ = 1 over strings of one length
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& probability_product_entry();
const KernelEntry& probability_product_bags_entry();
const KernelEntry& probability_product_counts_entry();
const KernelEntry& probability_product_strings_entry();
const KernelEntry& probability_product_hmm_entry();

}  // namespace mercer
