// The Jensen-Shannon kernel on histograms:
//
//   k(x, y) = Σ_c ½ (x_c log₂((x_c + y_c)/x_c) + y_c log₂((x_c + y_c)/y_c)),   x ≥ 0
//
// For histograms that sum to 1 it is 1 − the Jensen-Shannon divergence in bits, and k(x, x) = Σ x_c = 1.
// References: Hein & Bousquet (2005); Vedaldi & Zisserman (2012).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& jensen_shannon_entry();

}  // namespace mercer
