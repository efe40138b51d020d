// The locality-improved kernel: matches at the same place of two strings of one length, summed over windows and raised to
// a power,
//
//   k(x, y) = (Σ_p (Σ_{j=−l}^{l} v_j [x_{p+j} = y_{p+j}])^{d1})^{d2}          (string/window_node.h)
//
// l = 0, d1 = 1: the number of matches to the power d2. O(length · (2l+1)) per pair. Shogun divides the windows by the sum
// of the weights and leaves out windows that reach over the border. Reference: Zien et al. (2000), (13.22)-(13.23) of
// Schölkopf & Smola (2002).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& locality_improved_entry();

}  // namespace mercer
