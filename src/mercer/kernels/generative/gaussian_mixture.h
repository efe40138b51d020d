// A mixture of Gaussians with diagonal covariances,
//
//   p(x) = Σ_k w_k Π_d N(x_d; μ_kd, σ²_kd),
//
// with the posteriors r_k(x) of its components and the score ∇ ln p(x) by the logits α of w = softmax(α), by μ and by σ:
//
//   ∂/∂α_k = r_k − w_k     ∂/∂μ_kd = r_k z/σ_kd     ∂/∂σ_kd = r_k (z² − 1)/σ_kd      z = (x_d − μ_kd)/σ_kd
//
// One component is the diagonal Gaussian. References: Schölkopf & Smola (2002), Learning with Kernels, 13.4; Perronnin &
// Dance (2007), Fisher kernels on visual vocabularies.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/random.h"

namespace mercer {

/// By which units scores are measured: those of the parameters, or those in which the information of the complete data (x
/// with its component) is the identity; for one component that is the Fisher information itself.
enum class ScoreUnits { parameters, information };

class GaussianMixture {
 public:
  GaussianMixture() = default;
  /// `means` and `variances` hold a row per component; weights are divided by their sum. Variances must be positive.
  GaussianMixture(std::vector<double> weights, std::vector<double> means, std::vector<double> variances);

  Index components() const { return static_cast<Index>(weights_.size()); }
  Index dimension() const { return components() == 0 ? 0 : static_cast<Index>(means_.size()) / components(); }
  const std::vector<double>& weights() const { return weights_; }
  const std::vector<double>& means() const { return means_; }
  const std::vector<double>& variances() const { return variances_; }

  /// terms[k] = ln w_k + ln N(x; k); returns ln p(x). O(components · dimension).
  double log_terms(std::span<const double> x, std::span<double> terms) const;
  double log_density(std::span<const double> x) const;
  /// posteriors[k] = r_k(x); returns ln p(x).
  double posteriors(std::span<const double> x, std::span<double> posteriors) const;

  /// components · (1 + 2 dimension): logits, then means, then deviations, row by row.
  Index score_size() const { return components() * (1 + 2 * dimension()); }
  /// score += ∇ ln p(x).
  void add_score(std::span<const double> x, ScoreUnits units, std::span<double> score) const;

  void draw(RandomStream& random, std::span<double> x) const;

 private:
  std::vector<double> weights_;
  std::vector<double> means_;
  std::vector<double> variances_;
  std::vector<double> log_peaks_;  // ln w_k − ½ Σ_d ln 2πσ²_kd
};

}  // namespace mercer
