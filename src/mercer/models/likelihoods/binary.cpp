#include "mercer/models/likelihoods/binary.h"

#include <cmath>

namespace mercer {

ObservationMoments BinaryLikelihood::observation_moments(double mean, double variance) const {
  const double positive = std::exp(tilted(1, mean, variance).log_z);
  const double negative = std::exp(tilted(-1, mean, variance).log_z);
  return {positive - negative, 4 * positive * negative};
}

double BinaryLikelihood::observation_cumulative(double y, double mean, double variance) const {
  return y < -1 ? 0.0 : y >= 1 ? 1.0 : std::exp(tilted(-1, mean, variance).log_z);
}

double BinaryLikelihood::observation_quantile(double level, double mean, double variance) const {
  return observation_cumulative(-1, mean, variance) >= level ? -1.0 : 1.0;
}

double BinaryLikelihood::cumulative(double y, double f) const {
  return y < -1 ? 0.0 : y >= 1 ? 1.0 : std::exp(log_density(-1, f).value);
}

std::vector<double> BinaryLikelihood::landmarks(double /*y*/) const { return {0.0, -3.0, 3.0}; }

}  // namespace mercer
