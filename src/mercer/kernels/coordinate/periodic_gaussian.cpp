#include "mercer/kernels/coordinate/periodic_gaussian.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mercer/kernels/coordinate/coordinate_node.h"
#include "mercer/kernels/coordinate/fourier_sum.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr int most_terms = 100000;

class PeriodicGaussianNode final : public CoordinateProductNode<PeriodicGaussianNode> {
 public:
  PeriodicGaussianNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : CoordinateProductNode(entry, std::move(parameters), std::move(children)),
        sigma_(number_or(this->parameters(), "lengthscale", 1)),
        period_(this->parameters(), "period", 2 * std::numbers::pi),
        is_unit_(this->parameters().word("rescale") == "unit") {
    const double given = number_or(this->parameters(), "terms", 0);
    // exp(−n²σ²/2) < 1e-17 relative to the first term from here on.
    const double needed = std::ceil(std::sqrt(1 + 80 / (sigma_ * sigma_)));
    terms_ = static_cast<int>(std::min(given > 0 ? given : needed, double{most_terms}));
    weights_.resize(static_cast<std::size_t>(terms_) + 1);
    for (int n = 1; n <= terms_; ++n) {
      weights_[n] = std::exp(-0.5 * n * n * sigma_ * sigma_);
    }
    if (is_unit_) {
      const double top = sum(0).value;
      bottom_ = sum(std::numbers::pi).value;
      range_ = top - bottom_;
      bottom_slope_ = sigma_sum(std::numbers::pi);
      range_slope_ = sigma_sum(0) - bottom_slope_;
    }
  }

  Definiteness definiteness() const override { return Definiteness::positive(); }

  double value(std::size_t c, double x, double y) const {
    return (sum(phase(x - y, period_[c])).value - bottom_) / range_;
  }
  double slope(std::size_t c, double x, double y) const {
    return sum(phase(x - y, period_[c])).first * phase_rate(period_[c]) / range_;
  }
  double mixed(std::size_t c, double x, double y) const {
    const double rate = phase_rate(period_[c]);
    return -sum(phase(x - y, period_[c])).second * rate * rate / range_;
  }
  void add_parameter_slopes(std::size_t c, double x, double y, double factor, std::span<double> out) const {
    const double g = value(c, x, y);
    out[0] += factor * (sigma_sum(phase(x - y, period_[c])) - bottom_slope_ - g * range_slope_) / range_;
    out[period_.slot(c)] -= factor * slope(c, x, y) * (x - y) / period_[c];
  }

  // Every column has the frequency ±n/period with probability ∝ exp(−n²σ²/2); rescale=unit adds n = 0.
  std::optional<SpectralSampler> spectral_sampler(Index dimension) const override {
    period_.require_columns(entry().name, dimension);
    std::vector<double> cumulated = weights_;
    cumulated[0] = -bottom_;
    std::partial_sum(cumulated.begin(), cumulated.end(), cumulated.begin());
    return SpectralSampler{
        std::pow(value(0, 0, 0), static_cast<double>(dimension)),
        [cumulated = std::move(cumulated), period = period_](RandomStream& random, std::span<double> frequency) {
          for (std::size_t c = 0; c < frequency.size(); ++c) {
            const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
            const double share = random.uniform() * cumulated.back();
            const auto n = std::upper_bound(cumulated.begin(), cumulated.end() - 1, share) - cumulated.begin();
            frequency[c] = sign * static_cast<double>(n) * phase_rate(period[c]);
          }
        }};
  }

 protected:
  bool is_translation_invariant() const override { return true; }
  void check_domain(const Prepared& x) const override { period_.require_columns(entry().name, x.samples().columns()); }

 private:
  FourierSum sum(double t) const {
    return fourier_sum(t, terms_, [this](int n) { return weights_[n]; });
  }
  /// ∂/∂σ of the sum.
  double sigma_sum(double t) const {
    return fourier_sum(t, terms_, [this](int n) { return -n * n * sigma_ * weights_[n]; }).value;
  }

  double sigma_;
  ColumnParameter period_;
  bool is_unit_;
  int terms_ = 0;
  std::vector<double> weights_;
  double bottom_ = 0;
  double range_ = 1;
  double bottom_slope_ = 0;
  double range_slope_ = 0;
};

}  // namespace

const KernelEntry& periodic_gaussian_entry() {
  static const KernelEntry entry{
      .name = "periodic_gaussian",
      .formula = "prod_j sum_{n=1}^{terms} exp(-n^2 lengthscale^2 / 2) cos(2 pi n (x_j-y_j) / period)",
      .summary = "Gaussian spectrum on a circle, without the constant",
      .definiteness = "positive definite",
      .parameters = {{.name = "lengthscale",
                      .aliases = {"length_scale", "sigma"},
                      .default_text = "1",
                      .meaning = "width in radians, the period being 2 pi"},
                     {.name = "period",
                      .default_text = "6.283185307179586",
                      .meaning = "length of one period (default 2 pi), one number or one per column",
                      .may_be_list = true},
                     {.name = "terms",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "0",
                      .meaning = "frequencies kept; 0: as many as matter in double precision"},
                     {.name = "rescale",
                      .role = ParameterRole::word,
                      .default_text = "none",
                      .meaning = "unit: bring every factor to the range [0, 1]",
                      .words = {"none", "unit"}}},
      .make = make_node<PeriodicGaussianNode>,
      .examples = {"periodic_gaussian(lengthscale=0.6)",
                   "periodic_gaussian(lengthscale=0.5, period=[4, 5, 6], terms=4)",
                   "periodic_gaussian(lengthscale=0.7, period=5, rescale=unit)"}};
  return entry;
}

}  // namespace mercer
