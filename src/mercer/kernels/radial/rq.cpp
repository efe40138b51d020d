#include "mercer/kernels/radial/rq.h"

#include <cmath>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/scale_mixture.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// −ln(1+y) + y/(1+y), without cancellation near 0
double log_slope(double y) {
  if (y < 1e-3) {
    return -y * y * (0.5 - y * (2.0 / 3 - y * (0.75 - y * 0.8)));
  }
  return 1 - 1 / (1 + y) - std::log1p(y);
}

// φ(u) = (1 + u/α)^−α, u = r²/(2ℓ²)
class RqNode final : public RadialNode {
 public:
  RqNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 0.5),
        alpha_(this->parameters().number_or("alpha", 1)) {}
  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override { power(u, static_cast<float>(-alpha_)); }
  void profile(std::span<double> u) const override { power(u, -alpha_); }
  void first_derivative(std::span<double> u) const override {
    power(u, -alpha_ - 1);
    map_each(u, [](double v) { return -v; });
  }
  void second_derivative(std::span<double> u) const override {
    power(u, -alpha_ - 2);
    map_each(u, [factor = 1 + 1 / alpha_](double v) { return factor * v; });
  }
  void parameter_derivative(Index /*p*/, std::span<double> u) const override {
    map_each(u, [alpha = alpha_](double v) {
      const double y = v / alpha;
      const double value = std::exp(-alpha * std::log1p(y));
      return value == 0 ? 0.0 : value * log_slope(y);
    });
  }

  // (1 + u/α)^−α = E exp(−gu/α), g of the gamma distribution of shape α.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    return scale_mixture(1.0,
                         [alpha = alpha_](RandomStream& random) { return std::sqrt(random.gamma(alpha) / alpha); });
  }

 private:
  // (1 + u/α)^exponent
  template <class T>
  void power(std::span<T> u, T exponent) const {
    map_each(u, [inverse = static_cast<T>(1 / alpha_)](T v) { return v * inverse; });
    vector_log1p(u, u);
    vector_exp_scaled(u, exponent, u);
  }

  double alpha_;
};

}  // namespace

const KernelEntry& rq_entry() {
  static const KernelEntry entry{
      .name = "rq",
      .aliases = {"rational_quadratic"},
      .formula = "(1 + |x-y|^2 / (2 alpha lengthscale^2))^-alpha",
      .summary = "smooth functions that vary on many lengths at once",
      .definiteness = "positive definite",
      .parameters = {lengthscale_spec(),
                     {.name = "alpha",
                      .default_text = "1",
                      .meaning = "how alike the mixed lengths are; large: as rbf"}},
      .make = make_node<RqNode>,
      .examples = {"rq(lengthscale=1.5, alpha=0.8)", "rq(lengthscale=[1, 2, inf], alpha=3)"}};
  return entry;
}

}  // namespace mercer
