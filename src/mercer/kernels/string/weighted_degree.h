// The weighted degree kernel: strings of one length L that have the same substrings in the same places,
//
//   k(x, y) = Σ_{n=1}^d β_n Σ_{l=1}^{L-n+1} [x_l … x_{l+n-1} = y_l … y_{l+n-1}],   β_n = 2 (d - n + 1) / (d (d + 1))
//
// (Rätsch, Sonnenburg 2004; Shogun's WeightedDegreeString without shifts). With d = 1 it is the number of equal places.
// The features are pairs (place, substring) with value √β_n. Tiles do without them: the places where x and y agree are a
// row of bits M, M_n = M_{n-1} & (M_{n-1} >> 1) marks where n of them follow one another, and k = Σ_n β_n |M_n|;
// O(L/64 · (bits of a symbol + d)) per pair, and mostly less, for long runs are rare.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& weighted_degree_entry();

}  // namespace mercer
