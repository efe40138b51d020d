// The k-spectrum kernel: the features of a string are its substrings of length k, each with its number of occurrences,
//
//   k(x, y) = Σ_s count_s(x) count_s(y),   |s| = k      (lectures M13; Leslie, Eskin, Noble 2002)
//
// O(length) per string. A string shorter than k has no features, and kernel value 0 with every other.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& spectrum_entry();

}  // namespace mercer
