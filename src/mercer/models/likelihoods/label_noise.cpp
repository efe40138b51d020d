// Labels that are flipped with probability η: p = η + (1 − 2η) p₀ (Schölkopf & Smola (2002), 16.7). A probability
// bounded below by η is not log-concave: a label that contradicts its neighbours loses its influence. With the share
// w = (1 − 2η) p₀/p of the base,
//
//   ℓ' = w ℓ₀',   ℓ'' = w ℓ₀'' + w(1−w) ℓ₀'²,   ℓ''' = w ℓ₀''' + 3w(1−w) ℓ₀'ℓ₀'' + w(1−w)(1−2w) ℓ₀'³.
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/special_functions.h"
#include "mercer/models/likelihoods/additive_noise.h"
#include "mercer/models/likelihoods/binary.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

class LabelNoise final : public BinaryLikelihood {
 public:
  LabelNoise(LikelihoodPtr base, double eta) : base_(std::move(base)), eta_(eta) {}

  std::string_view name() const override { return base_->name(); }
  bool is_log_concave() const override { return false; }

  LogDensity log_density(double y, double f) const override {
    const LogDensity base = base_->log_density(y, f);
    const double value = mixed(base.value);
    const double share = share_of_base(base.value, value);
    const double both = share * (1 - share);
    return {value, share * base.first, share * base.second + both * base.first * base.first,
            share * base.third + 3 * both * base.first * base.second +
                both * (1 - 2 * share) * base.first * base.first * base.first};
  }

  std::vector<ScaleParameter> parameters() const override {
    return {{.path = "label_noise",
             .value = eta_,
             .constraint = Constraint::positive,
             .fixed = false,
             .bounds = Interval{1e-4, 0.45}}};
  }
  LikelihoodPtr with_parameters(std::span<const double> values) const override {
    return with_label_noise(base_, only_value("label noise", values));
  }
  void parameter_slopes(double y, double f, std::span<ParameterSlope> out) const override {
    const LogDensity base = base_->log_density(y, f);
    const double p0 = std::exp(base.value);
    const double p = eta_ + (1 - 2 * eta_) * p0;
    // Derivatives of p₀ by f, of p by f, and of those by η.
    const double p0_first = p0 * base.first;
    const double p0_second = p0 * (base.second + base.first * base.first);
    const double first = (1 - 2 * eta_) * p0_first / p;
    const double second = (1 - 2 * eta_) * p0_second / p;
    const double value_slope = (1 - 2 * p0) / p;
    const double first_slope = -2 * p0_first / p - first * value_slope;
    out[0] = {value_slope, first_slope, -2 * p0_second / p - second * value_slope - 2 * first * first_slope};
  }

  TiltedMoments tilted(double y, double mean, double variance) const override {
    const TiltedMoments base = base_->tilted(y, mean, variance);
    const double value = mixed(base.log_z);
    const double share = share_of_base(base.log_z, value);
    return {value, share * base.first, share * base.second + share * (1 - share) * base.first * base.first};
  }
  void tilted_slopes(double y, double mean, double variance, std::span<double> out) const override {
    const double z0 = std::exp(base_->tilted(y, mean, variance).log_z);
    out[0] = (1 - 2 * z0) / (eta_ + (1 - 2 * eta_) * z0);
  }

 private:
  double mixed(double log_base) const { return std::log(eta_ + (1 - 2 * eta_) * std::exp(log_base)); }
  double share_of_base(double log_base, double log_mixed) const {
    return (1 - 2 * eta_) * std::exp(log_base - log_mixed);
  }

  LikelihoodPtr base_;
  double eta_;
};

}  // namespace

LikelihoodPtr with_label_noise(LikelihoodPtr base, double eta) {
  if (!(eta >= 0 && eta < 0.5)) {
    reject_argument("label_noise", eta, "at least 0 and below 0.5 (at one half labels say nothing)");
  }
  if (eta == 0) {
    return base;
  }
  return std::make_shared<LabelNoise>(std::move(base), eta);
}

}  // namespace mercer
