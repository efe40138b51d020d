// Spectral samplers of kernels that mix Gaussians of many widths: ω = spread · standard normal, with a random spread
// that all components share.
#pragma once

#include <functional>

#include "mercer/kernels/spectrum.h"

namespace mercer {

inline SpectralSampler scale_mixture(double amplitude, std::function<double(RandomStream&)> spread) {
  return {amplitude, [spread = std::move(spread)](RandomStream& random, std::span<double> frequency) {
            const double factor = spread(random);
            for (double& component : frequency) {
              component = factor * random.normal();
            }
          }};
}

}  // namespace mercer
