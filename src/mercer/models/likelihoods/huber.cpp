// y = f + s·h with density exp(−ρ(h))/(s N): ρ = h²/2 for |h| ≤ c, c|h| − c²/2 beyond, so that
// N = √(2π)(2Φ(c) − 1) + 2e^(−c²/2)/c. Huber (1964).
#include <cmath>
#include <numbers>

#include "mercer/base/special_functions.h"
#include "mercer/models/likelihoods/additive_noise.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

class Huber final : public AdditiveNoise {
 public:
  Huber(double scale, double threshold) : scale_(scale), threshold_(threshold) {
    require_positive("huber", "scale", scale);
    require_positive("huber", "threshold", threshold);
    const double c = threshold;
    const double edge = std::exp(-c * c / 2);
    const double middle = root_two_pi * std::erf(c / std::numbers::sqrt2);
    normalizer_ = middle + 2 * edge / c;
    second_moment_ = (middle - 2 * c * edge + 2 * edge * (c + 2 / c + 2 / (c * c * c))) / normalizer_;
  }

  std::string_view name() const override { return "huber"; }
  bool is_log_concave() const override { return true; }

  LogDensity log_density(double y, double f) const override {
    const double h = (y - f) / scale_;
    const double constant = -std::log(scale_ * normalizer_);
    if (std::abs(h) <= threshold_) {
      return {constant - h * h / 2, h / scale_, -1 / (scale_ * scale_), 0};
    }
    return {constant - threshold_ * std::abs(h) + threshold_ * threshold_ / 2, std::copysign(threshold_, h) / scale_, 0,
            0};
  }

  std::vector<ScaleParameter> parameters() const override {
    return {{.path = "scale", .value = scale_, .constraint = Constraint::positive, .fixed = false, .bounds = {}}};
  }
  LikelihoodPtr with_parameters(std::span<const double> values) const override {
    return huber_likelihood(only_value(name(), values), threshold_);
  }
  void parameter_slopes(double y, double f, std::span<ParameterSlope> out) const override {
    const double h = (y - f) / scale_;
    const bool inside = std::abs(h) <= threshold_;
    const double slope = inside ? h : std::copysign(threshold_, h);
    const double curvature = inside ? 1 : 0;
    const double square = scale_ * scale_;
    out[0] = {-1 / scale_ + slope * h / scale_, -(slope + curvature * h) / square, 2 * curvature / (square * scale_)};
  }

 protected:
  double noise_cumulative(double noise) const override {
    const double h = -std::abs(noise / scale_);
    const double c = threshold_;
    const double edge = std::exp(-c * c / 2) / c;
    const double tail = h <= -c ? std::exp(c * h + c * c / 2) / (c * normalizer_)
                                : (edge + root_two_pi * (normal_cumulative(h) - normal_cumulative(-c))) / normalizer_;
    return noise > 0 ? 1 - tail : tail;
  }
  double noise_variance() const override { return scale_ * scale_ * second_moment_; }
  double noise_width() const override { return scale_; }
  std::vector<double> landmarks(double y) const override {
    return {y, y - scale_, y + scale_, y - scale_ * threshold_, y + scale_ * threshold_};
  }

 private:
  static constexpr double root_two_pi = 2.50662827463100050242;
  double scale_;
  double threshold_;
  double normalizer_ = 1;
  double second_moment_ = 1;
};

}  // namespace

LikelihoodPtr huber_likelihood(double scale, double threshold) { return std::make_shared<Huber>(scale, threshold); }

}  // namespace mercer
