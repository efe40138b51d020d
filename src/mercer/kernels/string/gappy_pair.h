// The gappy pair kernel: two substrings of length k with 0 … gap symbols between them, whatever those are; each distance
// is a feature of its own,
//
//   k(x, y) = Σ_{g=0}^{gap} Σ_{|s| = |t| = k} count(s ·^g t in x) count(s ·^g t in y)
//
// With order=any s and t change places freely, with distance=any all g are one feature: both together are the pairs of
// words in a window (Schölkopf & Smola 2002, section 13.2).
//
// (Mahrenholz et al. 2011; KeBABS' gappyPairKernel with m = gap). O(gap · length) per string.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& gappy_pair_entry();

}  // namespace mercer
