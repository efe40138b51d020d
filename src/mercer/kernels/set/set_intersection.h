// The number of members that two sets share,
//
//   k(A, B) = |A∩B| = Σ_u 1[u∈A] 1[u∈B]
//
// the inner product of their indicator vectors. normalize(set_intersection()) is |A∩B|/√(|A||B|), the cosine (Ochiai)
// coefficient. The empty set has value 0 with every other. Sets of n members in total cost O(n) once, a pair what it
// shares. Reference: lectures M19 and the slides on sets.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& set_intersection_entry();

}  // namespace mercer
