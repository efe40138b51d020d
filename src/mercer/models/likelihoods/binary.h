// BinaryLikelihood: labels y = ±1 with P(+1 | f) + P(−1 | f) = 1.
#pragma once

#include "mercer/models/likelihoods/likelihood.h"

namespace mercer {

class BinaryLikelihood : public Likelihood {
 public:
  bool accepts(double y) const final { return y == 1 || y == -1; }
  std::string_view target_text() const final { return "-1 or 1"; }
  ObservationMoments observation_moments(double mean, double variance) const final;
  double observation_cumulative(double y, double mean, double variance) const final;
  double observation_quantile(double level, double mean, double variance) const final;

 protected:
  double cumulative(double y, double f) const final;
  std::vector<double> landmarks(double y) const override;
};

}  // namespace mercer
