// Two strings of one length as emissions of one hidden path:
//
//   k(x, y) = Σ_z p(x | z) p(y | z) p(z),
//
// by the forward recursion a_1(j) = π_j b_j(x_1) b_j(y_1), a_{t+1}(j) = b_j(x_{t+1}) b_j(y_{t+1}) Σ_i a_t(i) A_ij, k = Σ_j a_L(j)
// (Haussler 1999; Watkins 2000; Bishop 2006, 6.2). The recursion is scaled at every position. Probabilities of long strings lie
// below the smallest number, so that by default the value is k(x, y)/√(k(x, x) k(y, y)), taken in logarithms;
// values=probability gives k itself. O(length · states²) per pair. Symbols outside the alphabet are missing observations.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& hmm_pair_entry();

}  // namespace mercer
