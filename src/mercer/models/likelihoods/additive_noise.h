// AdditiveNoise: likelihoods of regression, y = f + noise with a density of the difference alone, symmetric about 0.
#pragma once

#include "mercer/models/likelihoods/likelihood.h"

namespace mercer {

class AdditiveNoise : public Likelihood {
 public:
  bool accepts(double y) const final;
  std::string_view target_text() const final { return "a finite number"; }
  ObservationMoments observation_moments(double mean, double variance) const final;
  double observation_quantile(double level, double mean, double variance) const override;

 protected:
  double cumulative(double y, double f) const final { return noise_cumulative(y - f); }
  std::vector<double> landmarks(double y) const override;

  virtual double noise_cumulative(double noise) const = 0;
  virtual double noise_variance() const = 0;
  virtual double noise_width() const = 0;  ///< where the density begins to fall
};

/// Throws InvalidArgument ("student_t: scale = -1: …") unless the value is positive and finite.
void require_positive(std::string_view likelihood, std::string_view parameter, double value);

/// The one value of a likelihood with one parameter; InvalidArgument where there is not exactly one.
double only_value(std::string_view likelihood, std::span<const double> values);

}  // namespace mercer
