// The oligo kernel: substrings of length k that both strings have, the nearer their positions the more,
//
//   k(x, y) = Σ_u Σ_{p ∈ u(x)} Σ_{q ∈ u(y)} exp(−(p−q)²/(4σ²)),   u(x) = where u begins in x,  |u| = k
//
// The original has a constant factor √π σ in front. σ → 0: the substrings at the same place; σ = inf: the spectrum kernel.
// Cost per pair: the pairs of equal substrings; 10¹¹ of them are refused. Reference: Meinicke, Tech, Morgenstern & Merkl
// (2004).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& oligo_entry();

}  // namespace mercer
