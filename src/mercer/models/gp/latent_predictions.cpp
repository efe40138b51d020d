#include "mercer/models/gp/latent_predictions.h"

#include <cmath>
#include <utility>

#include "mercer/base/special_functions.h"

namespace mercer {

LatentPredictions::LatentPredictions(LatentMoments latent, LikelihoodPtr likelihood, TargetScaling scaling,
                                     double offset)
    : PredictiveDistribution(latent.means.rows(), latent.means.columns()),
      latent_(std::move(latent)),
      likelihood_(std::move(likelihood)),
      scaling_(std::move(scaling)),
      offset_(offset) {}

PredictiveMoments LatentPredictions::moments(PredictionOf of) const {
  PredictiveMoments result{.mean = Matrix<double>(rows(), outputs()), .variance = Matrix<double>(rows(), outputs())};
  for (Index i = 0; i < rows(); ++i) {
    const double variance = latent_.variances[i];
    for (Index o = 0; o < outputs(); ++o) {
      const double mean = latent_.means(i, o);
      const ObservationMoments y = of == PredictionOf::function ? ObservationMoments{mean + offset_, variance}
                                                                : likelihood_->observation_moments(mean, variance);
      result.mean(i, o) = scaling_.restored(y.mean, o);
      result.variance(i, o) = scaling_.scale(o) * scaling_.scale(o) * y.variance;
    }
  }
  return result;
}

void LatentPredictions::fill_quantiles(std::span<const double> levels, PredictionOf of, MatrixView<double> out) const {
  const auto count = static_cast<Index>(levels.size());
  for (Index i = 0; i < rows(); ++i) {
    const double variance = latent_.variances[i];
    for (Index o = 0; o < outputs(); ++o) {
      const double mean = latent_.means(i, o);
      for (Index l = 0; l < count; ++l) {
        const double level = levels[l];
        const double value = of == PredictionOf::function
                                 ? mean + offset_ + std::sqrt(variance) * normal_quantile(level)
                                 : likelihood_->observation_quantile(level, mean, variance);
        out(i, o * count + l) = scaling_.restored(value, o);
      }
    }
  }
}

void LatentPredictions::fill_log_density(ConstMatrixView<double> truth, MatrixView<double> out) const {
  for (Index i = 0; i < rows(); ++i) {
    for (Index o = 0; o < outputs(); ++o) {
      out(i, o) = likelihood_->observation_log_density(scaling_.standardized(truth(i, o), o), latent_.means(i, o),
                                                       latent_.variances[i]) -
                  std::log(scaling_.scale(o));
    }
  }
}

}  // namespace mercer
