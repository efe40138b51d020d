#include "mercer/kernels/radial/exponential.h"

#include <cmath>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/scale_mixture.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// φ(u) = exp(−s), s = √u = r/ℓ
class ExponentialNode final : public RadialNode {
 public:
  ExponentialNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0) {}
  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override { map(u); }
  void profile(std::span<double> u) const override { map(u); }
  void first_derivative(std::span<double> u) const override {
    map_each(u, [](double v) {
      const double s = std::sqrt(v);
      return coincident(v) ? 0.0 : -std::exp(-s) / (2 * s);
    });
  }
  void second_derivative(std::span<double> u) const override {
    map_each(u, [](double v) {
      const double s = std::sqrt(v);
      return coincident(v) ? 0.0 : std::exp(-s) * (1 + 1 / s) / (4 * v);
    });
  }

  // The multivariate Cauchy distribution.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    return scale_mixture(1.0, [](RandomStream& random) { return 1 / std::fabs(random.normal()); });
  }

 private:
  template <class T>
  void map(std::span<T> u) const {
    vector_sqrt(u, u);
    vector_exp_scaled(u, T(-1), u);
  }
};

}  // namespace

const KernelEntry& exponential_entry() {
  static const KernelEntry entry{
      .name = "exponential",
      .aliases = {"ornstein_uhlenbeck"},
      .formula = "exp(-|x-y| / lengthscale)",
      .summary = "continuous, nowhere differentiable functions; matern with nu = 1/2",
      .definiteness = "positive definite",
      .parameters = {lengthscale_spec()},
      .make = make_node<ExponentialNode>,
      .examples = {"exponential(lengthscale=1.5)", "exponential(lengthscale=[0.7, 2, inf])"}};
  return entry;
}

}  // namespace mercer
