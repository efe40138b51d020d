// The Gram matrix of some rows, stored: what pictures and spectra of a report are made of.
#pragma once

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// Both triangles, in double. O(rows²).
Matrix<double> gram_of(const Kernel& kernel, const Samples& rows, const Run& run);

}  // namespace mercer
