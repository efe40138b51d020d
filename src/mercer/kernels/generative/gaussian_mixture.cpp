#include "mercer/kernels/generative/gaussian_mixture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace mercer {

GaussianMixture::GaussianMixture(std::vector<double> weights, std::vector<double> means, std::vector<double> variances)
    : weights_(std::move(weights)), means_(std::move(means)), variances_(std::move(variances)) {
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  const auto d = static_cast<std::size_t>(dimension());
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    weights_[k] /= sum;
    double peak = std::log(weights_[k]);
    for (std::size_t j = k * d; j < (k + 1) * d; ++j) {
      peak -= 0.5 * std::log(2 * std::numbers::pi * variances_[j]);
    }
    log_peaks_.push_back(peak);
  }
}

double GaussianMixture::log_terms(std::span<const double> x, std::span<double> terms) const {
  const std::size_t d = x.size();
  double largest = -HUGE_VAL;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    double squares = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double difference = x[j] - means_[k * d + j];
      squares += difference * difference / variances_[k * d + j];
    }
    // Very far away all densities are 0 to the last bit; a finite floor keeps their posteriors defined.
    terms[k] = std::max(log_peaks_[k] - 0.5 * squares, -1e300);
    largest = std::max(largest, terms[k]);
  }
  double sum = 0;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    sum += std::exp(terms[k] - largest);
  }
  return largest + std::log(sum);
}

double GaussianMixture::log_density(std::span<const double> x) const {
  std::vector<double> terms(weights_.size());
  return log_terms(x, terms);
}

double GaussianMixture::posteriors(std::span<const double> x, std::span<double> posteriors) const {
  const double log_density = log_terms(x, posteriors);
  double sum = 0;
  for (double& value : posteriors) {
    value = std::exp(value - log_density);
    sum += value;
  }
  // Far away ln p is so large that the logarithm of the number of components that tie is lost in it.
  for (double& value : posteriors) {
    value /= sum;
  }
  return log_density;
}

void GaussianMixture::add_score(std::span<const double> x, ScoreUnits units, std::span<double> score) const {
  const std::size_t d = x.size();
  const std::size_t count = weights_.size();
  std::vector<double> r(count);
  posteriors(x, r);
  for (std::size_t k = 0; k < count; ++k) {
    const double root = std::sqrt(weights_[k]);
    score[k] += (r[k] - weights_[k]) / (units == ScoreUnits::information ? root : 1.0);
    for (std::size_t j = k * d; j < (k + 1) * d; ++j) {
      const double deviation = std::sqrt(variances_[j]);
      const double z = (x[j - k * d] - means_[j]) / deviation;
      const bool natural = units == ScoreUnits::information;
      score[count + j] += r[k] * z / (natural ? root : deviation);
      score[count + count * d + j] += r[k] * (z * z - 1) / (natural ? root * std::numbers::sqrt2 : deviation);
    }
  }
}

void GaussianMixture::draw(RandomStream& random, std::span<double> x) const {
  double left = random.uniform();
  std::size_t k = 0;
  while (k + 1 < weights_.size() && left >= weights_[k]) {
    left -= weights_[k++];
  }
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = means_[k * x.size() + j] + std::sqrt(variances_[k * x.size() + j]) * random.normal();
  }
}

}  // namespace mercer
