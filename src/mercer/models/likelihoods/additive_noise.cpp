#include "mercer/models/likelihoods/additive_noise.h"

#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

bool AdditiveNoise::accepts(double y) const { return std::isfinite(y); }

ObservationMoments AdditiveNoise::observation_moments(double mean, double variance) const {
  return {mean, variance + noise_variance()};
}

std::vector<double> AdditiveNoise::landmarks(double y) const { return {y, y - noise_width(), y + noise_width()}; }

// The distribution is symmetric about the mean: the upper half of the levels mirrors the lower. The bracket is halved
// towards the root by the Illinois variant of regula falsi.
double AdditiveNoise::observation_quantile(double level, double mean, double variance) const {
  if (level == 0.5) {
    return mean;
  }
  if (level > 0.5) {
    return 2 * mean - observation_quantile(1 - level, mean, variance);
  }
  const auto height = [&](double below) { return observation_cumulative(-below, 0, variance) - level; };
  double low = 0;
  double low_value = 0.5 - level;
  double high = std::sqrt(variance) + noise_width();
  double high_value = height(high);
  while (high_value > 0) {
    low = high;
    low_value = high_value;
    high *= 2;
    high_value = height(high);
  }
  const double fine = 1e-11 * (high + noise_width());
  for (int k = 0; k < 200 && high - low > fine && high_value != 0; ++k) {
    // Heavy tails make chords useless now and then: every third step bisects.
    const double middle = k % 3 == 2 ? (low + high) / 2 : low + (high - low) * low_value / (low_value - high_value);
    const double value = height(middle);
    if (value > 0) {
      low = middle;
      low_value = value;
      high_value /= 2;
    } else {
      high = middle;
      high_value = value;
      low_value /= 2;
    }
  }
  return mean - high;
}

void require_positive(std::string_view likelihood, std::string_view parameter, double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    reject_argument(std::string(likelihood) + ": " + std::string(parameter), value, "a positive finite number");
  }
}

double only_value(std::string_view likelihood, std::span<const double> values) {
  if (values.size() != 1) {
    throw InvalidArgument("the likelihood " + std::string(likelihood) + " has one parameter, " +
                          std::to_string(values.size()) + " values were given");
  }
  return values.front();
}

}  // namespace mercer
