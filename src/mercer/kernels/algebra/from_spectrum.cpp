#include "mercer/kernels/algebra/from_spectrum.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/registry.h"

namespace mercer {

Kernel from_spectrum(const std::function<double(double)>& density, double cutoff, int points) {
  if (!(cutoff > 0) || !std::isfinite(cutoff)) {
    reject_argument("from_spectrum: cutoff", cutoff, "a positive number");
  }
  if (points < 1) {
    reject_argument("from_spectrum: points", points, "at least 1");
  }
  const double step = cutoff / points;
  std::vector<double> weights;
  std::vector<double> means;
  for (int m = 0; m <= points; ++m) {
    const double frequency = m * step;
    const double value = density(frequency);
    if (!(value >= 0) || !std::isfinite(value)) {
      throw InvalidArgument("from_spectrum: the density is " + shortest(value) + " at frequency " +
                            shortest(frequency) + ": it must be finite and not negative");
    }
    if (value > 0) {
      const double share = m == 0 || m == points ? 0.5 : 1.0;
      weights.push_back(2 / std::sqrt(2 * std::numbers::pi) * step * share * value);
      means.push_back(frequency / (2 * std::numbers::pi));  // spectral_mixture counts cycles, not radians
    }
  }
  if (weights.empty()) {
    throw InvalidArgument("from_spectrum: the density vanishes at every frequency up to the cutoff " +
                          shortest(cutoff));
  }
  return make_kernel("spectral_mixture", {{"weights", ParameterValue::list(std::move(weights))},
                                          {"means", ParameterValue::list(std::move(means))},
                                          {"variances", ParameterValue::number(0)}});
}

}  // namespace mercer
