// LatentPredictions: predictive distributions through a likelihood. The latent function is normal at every sample; an
// observation is p(y) = ∫ p(y | f) N(f | m, v) df, and both are taken back to the units of the targets.
#pragma once

#include <vector>

#include "mercer/models/likelihoods/likelihood.h"
#include "mercer/models/predictive_distribution.h"
#include "mercer/models/target_scaling.h"

namespace mercer {

/// Of the latent function, standardised.
struct LatentMoments {
  Matrix<double> means;           ///< n × outputs
  std::vector<double> variances;  ///< one for all outputs
};

class LatentPredictions final : public PredictiveDistribution {
 public:
  /// `offset`: added to function values.
  LatentPredictions(LatentMoments latent, LikelihoodPtr likelihood, TargetScaling scaling, double offset);

  PredictiveMoments moments(PredictionOf of) const override;

 private:
  void fill_quantiles(std::span<const double> levels, PredictionOf of, MatrixView<double> out) const override;
  void fill_log_density(ConstMatrixView<double> truth, MatrixView<double> out) const override;

  LatentMoments latent_;
  LikelihoodPtr likelihood_;
  TargetScaling scaling_;
  double offset_;
};

}  // namespace mercer
