// Standard normal vectors whose directions are orthogonal in blocks of d: each vector by itself is standard normal in R^d
// (a uniform direction times an independent chi length), but the vectors of a block do not crowd. Random features of
// the Gaussian kernel from them have a lower variance than from independent vectors. Reference: Yu, Suresh,
// Choromanski, Holtmann-Rice & Kumar (2016), Orthogonal random features.
#pragma once

#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// count × dimension; random numbers from the stream, in order. O(count · min(count, d) · d).
Matrix<double> orthogonal_normals(RandomStream& random, Index count, Index dimension);

}  // namespace mercer
