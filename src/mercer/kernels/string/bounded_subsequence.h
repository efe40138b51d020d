// The gap-weighted subsequence kernel with bounded gaps: as `subsequence`, but an occurrence may skip at most g symbols,
//
//   k(x, y) = Σ_u φ_u(x) φ_u(y),   φ_u(x) = Σ_{a: x[a] = u, l(a) ≤ n + g} λ^l(a),   |u| = n,  l(a) = a_last − a_first + 1
//
// Then the features of a string can be listed: from each place, all continuations as in a trie. A string costs
// O(length · C(n−1+g, g)) once, instead of O(length²) for every pair; linear models take the features themselves. g = 0 is
// the spectrum kernel times λ^(2n); g ≥ length is `subsequence`. Reference: Shawe-Taylor & Cristianini (2004), chapter 11.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& bounded_subsequence_entry();

}  // namespace mercer
