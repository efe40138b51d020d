// The mismatch kernel: a string has the feature s, |s| = k, once for every substring of its own that differs from s in
// at most m places,
//
//   k(x, y) = Σ_s φ_s(x) φ_s(y),   φ_s(x) = #{substrings a of x, |a| = k : a and s differ in at most m places}
//
// (lectures M14; Leslie, Eskin, Cohen, Weston, Noble 2004). s runs over all strings of the alphabet, so its size matters:
// a substring has Σ_{j<=m} C(k, j) (|A| - 1)^j features (19 for DNA with k = 6, m = 1; 96 for proteins with k = 5, m = 1).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& mismatch_entry();

}  // namespace mercer
