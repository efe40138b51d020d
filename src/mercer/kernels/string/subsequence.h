// The gap-weighted subsequence kernel: strings share features if they share subsequences, which need not stand together;
// the more symbols an occurrence spans, the less it counts,
//
//   k_i(s, t) = Σ_u Σ_{a: s[a]=u} Σ_{b: t[b]=u} λ^(l(a) + l(b)),   |u| = i,   l(a) = a_last − a_first + 1
//   k(s, t)   = k_n(s, t),  or  Σ_{i ≤ n} c_i k_i(s, t)
//
// With weighting=excess every k_i is divided by λ^(2i): only the gaps count, and short and long subsequences are of one
// size. λ = 1 counts pairs of occurrences. Cost per pair O(n |s| |t|), or O(n M log |t|) where only M pairs of symbols are
// equal and that is less (string/subsequence_sums.h). Longer products than 3·10¹¹ are refused.
// References: Lodhi, Saunders, Shawe-Taylor, Cristianini, Watkins (2002); Schölkopf & Smola (2002), (13.16)-(13.20).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& subsequence_entry();

}  // namespace mercer
