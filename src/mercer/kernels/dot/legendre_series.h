// Series of Legendre polynomials in N dimensions on the unit sphere: Σ b_n P_n(c), c the cosine between the vectors; 0
// for a zero vector. P_n are Gegenbauer's polynomials scaled to P_n(1) = 1: P_0 = 1, P_1 = c,
//
//   (n+N−3) P_n = (2n+N−4) c P_{n−1} − (n−1) P_{n−2}
//
// Positive definite on the sphere of N dimensions (and fewer) if and only if all b_n ≥ 0 (Schoenberg 1942). Spec K24.
#pragma once

#include "mercer/kernels/dot/angular_node.h"

namespace mercer {

const KernelEntry& legendre_series_entry();

}  // namespace mercer
