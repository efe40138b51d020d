// Overlap of two sets in proportion to their union, the Jaccard index,
//
//   k(A, B) = |A∩B| / |A∪B| = s / (a + b − s),   s = |A∩B|, a = |A|, b = |B|
//
// and with s = xᵀy, a = ‖x‖², b = ‖y‖² the Tanimoto coefficient of real vectors, which is the same for indicator vectors.
// Positive on all real vectors: with u = s/(a+b), |u| ≤ ½, it is u/(1−u) = Σ_n (xᵀy)ⁿ⁺¹ (a+b)^−(n+1), and 1/(a+b)ⁿ is
// ∫ t^(n−1) e^(−ta) e^(−tb) dt / (n−1)!. Two empty sets (zero vectors) are equal and have the value 1, so that k(x, x) = 1
// always; an empty one and another have 0. Reference: Ralaivola, Swamidass, Saigo, Baldi (2005).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& tanimoto_entry();

}  // namespace mercer
