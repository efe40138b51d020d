// Points of the unit cube that fill it more evenly than independent ones: Halton's sequence with digits scrambled at
// random, coordinate j being the digits of the point's number in the j-th prime base, mirrored at the point and permuted
// by a random permutation per digit. Every point by itself is uniform, so that averages over them have no bias; smooth
// averages converge nearly as 1/count. In many dimensions (over 20 or so) little of the gain is left. References: Halton
// (1960); Matoušek (1998), On the L2-discrepancy for anchored boxes; Avron, Sindhwani, Yang & Mahoney (2016).
#pragma once

#include <cstdint>

#include "mercer/linalg/matrix.h"

namespace mercer {

/// count × dimension, in (0, 1), a function of the seed alone. O(count · dimension · 53) at worst.
Matrix<double> scrambled_halton(std::uint64_t seed, Index count, Index dimension);

/// The same as standard normal vectors, through the inverse of the normal distribution.
Matrix<double> halton_normals(std::uint64_t seed, Index count, Index dimension);

}  // namespace mercer
