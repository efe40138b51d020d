// y = f + noise of density e^(−|noise|/b)/(2b). Against N(f; m, v), with d = y − m and s = √v, two halves of a normal:
//
//   Z = (e^A + e^B)/(2b),   A = v/2b² − d/b + ln Φ(x_A),  x_A = d/s − s/b,   B = v/2b² + d/b + ln Φ(x_B),  x_B = −d/s − s/b.
//
// With the shares w_A + w_B = 1 of the halves and the excess g(x) = φ/Φ + x of the normal hazard, the derivatives have
// forms without cancellation: ∂ = (w_A − w_B)/b, ∂² = −2 w_A w_B (g_A + g_B)/(s b).
#include <cmath>
#include <numbers>

#include "mercer/base/special_functions.h"
#include "mercer/models/likelihoods/additive_noise.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

class Laplacian final : public AdditiveNoise {
 public:
  explicit Laplacian(double scale) : scale_(scale) { require_positive("laplacian", "scale", scale); }

  std::string_view name() const override { return "laplacian"; }
  bool is_log_concave() const override { return true; }
  bool is_smooth() const override { return false; }

  LogDensity log_density(double y, double f) const override {
    const double r = y - f;
    return {-std::log(2 * scale_) - std::abs(r) / scale_, r == 0 ? 0.0 : std::copysign(1 / scale_, r), 0, 0};
  }

  std::vector<ScaleParameter> parameters() const override {
    return {{.path = "scale", .value = scale_, .constraint = Constraint::positive, .fixed = false, .bounds = {}}};
  }
  LikelihoodPtr with_parameters(std::span<const double> values) const override {
    return laplacian_likelihood(only_value(name(), values));
  }
  void parameter_slopes(double y, double f, std::span<ParameterSlope> out) const override {
    const double r = y - f;
    const double square = scale_ * scale_;
    out[0] = {-1 / scale_ + std::abs(r) / square, r == 0 ? 0.0 : -std::copysign(1 / square, r), 0};
  }

  TiltedMoments tilted(double y, double mean, double variance) const override {
    if (!(variance > 0)) {
      const LogDensity density = log_density(y, mean);
      return {density.value, density.first, density.second};
    }
    const Halves halves = make_halves(y - mean, variance);
    return {halves.log_sum - std::log(2 * scale_), (halves.upper_share - halves.lower_share) / scale_,
            -2 * halves.upper_share * halves.lower_share * (halves.upper_excess + halves.lower_excess) /
                (std::sqrt(variance) * scale_)};
  }
  void tilted_slopes(double y, double mean, double variance, std::span<double> out) const override {
    if (!(variance > 0)) {
      out[0] = -1 / scale_ + std::abs(y - mean) / (scale_ * scale_);
      return;
    }
    const Halves halves = make_halves(y - mean, variance);
    out[0] = -1 / scale_ + (halves.upper_share * halves.upper_excess + halves.lower_share * halves.lower_excess) *
                               std::sqrt(variance) / (scale_ * scale_);
  }
  // The distribution function of normal plus Laplacian noise: Φ(d/s) + (e^B − e^A)/2.
  double observation_cumulative(double y, double mean, double variance) const override {
    if (!(variance > 0)) {
      return noise_cumulative(y - mean);
    }
    const double d = -std::abs(y - mean);  // the lower tail has no cancellation of ones
    const Halves halves = make_halves(d, variance);
    const double tail = normal_cumulative(d / std::sqrt(variance)) +
                        0.5 * std::exp(halves.log_sum) * (halves.lower_share - halves.upper_share);
    return y > mean ? 1 - tail : tail;
  }

 protected:
  double noise_cumulative(double noise) const override {
    const double tail = 0.5 * std::exp(-std::abs(noise) / scale_);
    return noise > 0 ? 1 - tail : tail;
  }
  double noise_variance() const override { return 2 * scale_ * scale_; }
  double noise_width() const override { return scale_; }

 private:
  // `upper` is A (f below y), `lower` is B.
  struct Halves {
    double log_sum;
    double upper_share;
    double lower_share;
    double upper_excess;
    double lower_excess;
  };

  // v/2b² − d/b + ln Φ(d/s − s/b). Far to the left ln Φ holds −x²/2, which cancels all but −d²/2v.
  double log_half(double d, double s) const {
    const double x = d / s - s / scale_;
    if (x < -1) {
      return -d * d / (2 * s * s) + std::log(scaled_erfc(-x / std::numbers::sqrt2) / 2);
    }
    return s * s / (2 * scale_ * scale_) - d / scale_ + log_normal_cumulative(x);
  }

  Halves make_halves(double d, double variance) const {
    const double s = std::sqrt(variance);
    const double upper = log_half(d, s);
    const double lower = log_half(-d, s);
    const double sum = log_add_exp(upper, lower);
    return {sum, std::exp(upper - sum), std::exp(lower - sum), normal_hazard(d / s - s / scale_).excess,
            normal_hazard(-d / s - s / scale_).excess};
  }

  double scale_;
};

}  // namespace

LikelihoodPtr laplacian_likelihood(double scale) { return std::make_shared<Laplacian>(scale); }

}  // namespace mercer
