#include "mercer/kernels/radial/power_exponential.h"

#include <cmath>
#include <numbers>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/radial/distance_power_node.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/scale_mixture.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// A draw of the positive variable A with E exp(−sA) = exp(−s^a), 0 < a < 1.
double positive_stable(RandomStream& random, double a) {
  const double angle = std::numbers::pi * random.uniform();
  const double waiting = -std::log(random.uniform());
  return std::sin(a * angle) / std::pow(std::sin(angle), 1 / a) *
         std::pow(std::sin((1 - a) * angle) / waiting, (1 - a) / a);
}

// f(p) = exp(−p)
class PowerExponentialNode final : public DistancePowerNode {
 public:
  PowerExponentialNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : DistancePowerNode(entry, std::move(parameters), std::move(children), "positive definite") {}
  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

 protected:
  void outer(std::span<float> p) const override { vector_exp_scaled(p, -1.0F, p); }
  void outer(std::span<double> p) const override { vector_exp_scaled(p, -1.0, p); }
  double outer_first(double p) const override { return -std::exp(-p); }
  double outer_second(double p) const override { return std::exp(-p); }

  // exp(−s^b) mixes Gaussians exp(−As) of positive stable A.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    const double amplitude = half_beta() == 0 ? std::exp(-1.0) : 1.0;
    return scale_mixture(amplitude, [b = half_beta()](RandomStream& random) {
      return std::sqrt(2 * (b == 0 ? 0.0 : b == 1 ? 1.0 : positive_stable(random, b)));
    });
  }
};

}  // namespace

const KernelEntry& power_exponential_entry() {
  static const KernelEntry entry{
      .name = "power_exponential",
      .aliases = {"generalized_exponential"},
      .formula = "exp(-(|x-y| / lengthscale)^beta)",
      .summary = "from rough (beta small) to smooth (beta = 2) functions",
      .definiteness = "positive definite for 0 <= beta <= 2",
      .parameters = {lengthscale_spec(),
                     {.name = "beta",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .default_text = "1",
                      .meaning = "exponent of the distance, 0 to 2; 0 is a constant"}},
      .make = make_node<PowerExponentialNode>,
      .examples = {"power_exponential(lengthscale=1.5, beta=0.7)", "power_exponential(lengthscale=[1, 2, 3], beta=1.6)",
                   "power_exponential(lengthscale=2, beta=2)", "power_exponential(lengthscale=2, beta=0)"}};
  return entry;
}

}  // namespace mercer
