// The all-substrings kernel: every substring is a feature, weighted by its length,
//
//   k(x, y) = Σ_s w_|s| count_s(x) count_s(y),   w_n = λⁿ (λ the decay) for min_length <= n <= max_length, 0 else,
// or from a list
//
// (lectures M10, eq. 14.22; Vishwanathan, Smola 2004). A string of length L has L²/2 substrings, but a pair costs
// O(|x| + |y|): the suffix automaton of one string is walked along the other (kernels/string/suffix_automaton.h). One
// automaton serves a whole row of a tile; memory is that of one automaton for each thread.
//
// kernlab's stringdot: constant is λ = 1, boundrange is λ = 1 with max_length, exponential with its λ is 1/λ here.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& all_substrings_entry();

}  // namespace mercer
