#include "mercer/kernels/radial/power_exponential.h"

#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/scale_mixture.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

double checked_beta(const KernelEntry& entry, const ParameterList& parameters) {
  const double beta = parameters.number_or("beta", 1);
  if (beta > 2) {
    reject_argument(entry.name + ": beta", beta, "a number from 0 to 2: above 2 the kernel is not positive definite");
  }
  return beta;
}

// A draw of the positive variable A with E exp(−sA) = exp(−s^a), 0 < a < 1.
double positive_stable(RandomStream& random, double a) {
  const double angle = std::numbers::pi * random.uniform();
  const double waiting = -std::log(random.uniform());
  return std::sin(a * angle) / std::pow(std::sin(angle), 1 / a) *
         std::pow(std::sin((1 - a) * angle) / waiting, (1 - a) / a);
}

// φ(u) = exp(−u^b), b = β/2, u = (r/ℓ)²
class PowerExponentialNode final : public RadialNode {
 public:
  PowerExponentialNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
        half_(checked_beta(entry, this->parameters()) / 2) {}
  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override { map(u); }
  void profile(std::span<double> u) const override { map(u); }
  void first_derivative(std::span<double> u) const override {
    map_each(u, [b = half_](double v) {
      if (b == 1) {
        return -std::exp(-v);
      }
      return coincident(v) ? 0.0 : -b * std::pow(v, b - 1) * std::exp(-std::pow(v, b));
    });
  }
  void second_derivative(std::span<double> u) const override {
    map_each(u, [b = half_](double v) {
      if (b == 1) {
        return std::exp(-v);
      }
      const double power = std::pow(v, b);
      const double value = std::exp(-power);
      return coincident(v) || value == 0 ? 0.0 : value * b * power * (b * power + 1 - b) / v / v;
    });
  }

  // exp(−s^b) mixes Gaussians exp(−As) of positive stable A.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    const double amplitude = half_ == 0 ? std::exp(-1.0) : 1.0;
    return scale_mixture(amplitude, [b = half_](RandomStream& random) {
      return std::sqrt(2 * (b == 0 ? 0.0 : b == 1 ? 1.0 : positive_stable(random, b)));
    });
  }

 private:
  template <class T>
  void map(std::span<T> u) const {
    vector_pow(u, static_cast<T>(half_), u);
    vector_exp_scaled(u, T(-1), u);
  }

  double half_;
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
