// SpectralSampler: draws frequencies ω from the spectral density of a translation-invariant kernel,
//   k(x − x') = amplitude · E_ω[cos(ωᵀ(x − x'))]      (Bochner's theorem)
// Random Fourier features are built from it.
#pragma once

#include <functional>
#include <span>

#include "mercer/base/random.h"

namespace mercer {

struct SpectralSampler {
  double amplitude = 1;  ///< k(0)
  /// Fills one frequency vector (length = dimension) from the stream.
  std::function<void(RandomStream& random, std::span<double> frequency)> draw;
};

}  // namespace mercer
