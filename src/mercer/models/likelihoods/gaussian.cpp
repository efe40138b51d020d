// y = f + noise, noise ~ N(0, σ²): every integral is a normal density.
#include <cmath>
#include <numbers>

#include "mercer/base/special_functions.h"
#include "mercer/models/likelihoods/additive_noise.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

class Gaussian final : public AdditiveNoise {
 public:
  explicit Gaussian(double variance) : variance_(variance) { require_positive("gaussian", "noise", variance); }

  std::string_view name() const override { return "gaussian"; }
  bool is_log_concave() const override { return true; }

  LogDensity log_density(double y, double f) const override {
    const double r = y - f;
    return {-0.5 * std::log(2 * std::numbers::pi * variance_) - r * r / (2 * variance_), r / variance_, -1 / variance_,
            0};
  }

  std::vector<ScaleParameter> parameters() const override {
    return {{.path = "noise", .value = variance_, .constraint = Constraint::positive, .fixed = false, .bounds = {}}};
  }
  LikelihoodPtr with_parameters(std::span<const double> values) const override {
    return gaussian_likelihood(only_value(name(), values));
  }
  void parameter_slopes(double y, double f, std::span<ParameterSlope> out) const override {
    const double r = y - f;
    const double square = variance_ * variance_;
    out[0] = {-0.5 / variance_ + r * r / (2 * square), -r / square, 1 / square};
  }

  TiltedMoments tilted(double y, double mean, double variance) const override {
    const double total = variance_ + variance;
    const double r = y - mean;
    return {-0.5 * std::log(2 * std::numbers::pi * total) - r * r / (2 * total), r / total, -1 / total};
  }
  void tilted_slopes(double y, double mean, double variance, std::span<double> out) const override {
    const double total = variance_ + variance;
    const double r = y - mean;
    out[0] = -0.5 / total + r * r / (2 * total * total);
  }
  double observation_cumulative(double y, double mean, double variance) const override {
    return normal_cumulative((y - mean) / std::sqrt(variance_ + variance));
  }
  double observation_quantile(double level, double mean, double variance) const override {
    return mean + std::sqrt(variance_ + variance) * normal_quantile(level);
  }

 protected:
  double noise_cumulative(double noise) const override { return normal_cumulative(noise / std::sqrt(variance_)); }
  double noise_variance() const override { return variance_; }
  double noise_width() const override { return std::sqrt(variance_); }

 private:
  double variance_;
};

}  // namespace

LikelihoodPtr gaussian_likelihood(double variance) { return std::make_shared<Gaussian>(variance); }

}  // namespace mercer
