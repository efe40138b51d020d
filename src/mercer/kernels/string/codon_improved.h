// The codon-improved kernel: the locality-improved kernel whose windows also count symbols of one string that match those
// of the other a codon (three places) further on or back,
//
//   win_p = Σ_{j, j'} √(v_j v_{j'}) c_{|j−j'|} [x_{p+j} = y_{p+j'}],   −l ≤ j, j' ≤ l,   c_0 = 1, c_3 = w, others 0
//   k(x, y) = (Σ_p win_p^{d1})^{d2}
//
// The literature gives no formula; this one is positive definite for every d1 and d2 while w ≤ ½, as then the matrix c is.
// w = 0 is locality_improved. Reference: Zien et al. (2000); Schölkopf & Smola (2002), section 13.3.2.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& codon_improved_entry();

}  // namespace mercer
