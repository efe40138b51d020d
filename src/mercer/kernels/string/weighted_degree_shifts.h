// The weighted degree kernel with shifts: substrings of up to d symbols count where both strings have them at the same
// place, and less where they are displaced by up to S places,
//
//   k(x, y) = Σ_{i ≤ d} β_i Σ_p Σ_{q: |p−q| ≤ S} w_{|p−q|} [x_{p … p+i−1} = y_{q … q+i−1}]
//   β_i = 2(d−i+1)/(d(d+1)),   w_0 = 1,   w_s = 1/(2(s+1))
//
// Positions count from the beginning of a string; lengths may differ. The kernel is positive: Σ_{s ≤ S} cos(sθ)/(s+1) ≥ ½
// for every S and θ (Rogosinski & Szegő 1928), so the weights w form a positive matrix over the positions. S = 0 is the
// weighted degree kernel. O((2S+1) length) per pair, whatever d. Reference: Rätsch, Sonnenburg & Schölkopf (2005).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& weighted_degree_shifts_entry();

}  // namespace mercer
