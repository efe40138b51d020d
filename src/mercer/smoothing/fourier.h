// Discrete Fourier transforms of arrays of up to three dimensions, in place, by kissfft as it comes with Eigen.
#pragma once

#include <array>
#include <complex>
#include <span>

#include "mercer/base/run.h"

namespace mercer {

enum class FourierDirection { forward, inverse };

/// Row-major, sizes[0] × sizes[1] × sizes[2] (1 for axes that are not there). The inverse divides by the size.
/// O(N ln N) where the sizes have small prime factors. The same bits for any number of threads.
void fourier_transform(std::span<std::complex<double>> values, const std::array<Index, 3>& sizes,
                       FourierDirection direction, const Run& run);

/// The smallest number ≥ size without prime factors above 5.
Index fast_fourier_size(Index size);

}  // namespace mercer
