#include "mercer/kernels/radial/cauchy.h"

#include <cmath>

#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/scale_mixture.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// φ(u) = 1/(1 + u), u = (r/ℓ)²
class CauchyNode final : public RadialNode {
 public:
  CauchyNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0) {}
  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override {
    map_each(u, [](float v) { return 1 / (1 + v); });
  }
  void profile(std::span<double> u) const override {
    map_each(u, [](double v) { return 1 / (1 + v); });
  }
  void first_derivative(std::span<double> u) const override {
    profile(u);
    map_each(u, [](double v) { return -v * v; });
  }
  void second_derivative(std::span<double> u) const override {
    profile(u);
    map_each(u, [](double v) { return 2 * v * v * v; });
  }

  // 1/(1 + s) = E exp(−gs), g exponentially distributed.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    return scale_mixture(1.0, [](RandomStream& random) { return std::sqrt(2 * random.gamma(1)); });
  }
};

}  // namespace

const KernelEntry& cauchy_entry() {
  static const KernelEntry entry{.name = "cauchy",
                                 .formula = "1 / (1 + |x-y|^2 / lengthscale^2)",
                                 .summary = "smooth functions with influence over long distances",
                                 .definiteness = "positive definite",
                                 .parameters = {lengthscale_spec()},
                                 .make = make_node<CauchyNode>,
                                 .examples = {"cauchy(lengthscale=1.5)", "cauchy(lengthscale=[1, 2, inf])"}};
  return entry;
}

}  // namespace mercer
