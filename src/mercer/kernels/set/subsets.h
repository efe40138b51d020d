// How many subsets two sets have in common,
//
//   k(A, B) = 2^|A∩B| = Σ_U 1[U⊆A] 1[U⊆B]                 (lectures M19, W14)
//
// and with another base β ≥ 1 subsets weighted by their size, β^|A∩B| = Σ_{U⊆A∩B} (β−1)^|U|. Two sets without a common
// member, the empty set among them, share the empty subset: 1. Every power k^t, t > 0, is positive again.
//
// β^|A| must be a number of the precision at hand (double: |A| ≤ 1023 for β = 2, single: 127). form=normalized has no such
// limit: k(A, B)/√(k(A, A) k(B, B)) = β^(s − (a+b)/2) = β^(−|A△B|/2), computed in that form.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& subsets_entry();

}  // namespace mercer
