#include "mercer/kernels/radial/inverse_multiquadric.h"

#include <cmath>

#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/scale_mixture.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// φ(u) = (u + c²)^−½, u = (r/ℓ)²
class InverseMultiquadricNode final : public RadialNode {
 public:
  InverseMultiquadricNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0), c_(this->parameters().number_or("c", 1)) {}
  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override {
    map_each(u, [squared = static_cast<float>(c_ * c_)](float v) { return 1 / std::sqrt(v + squared); });
  }
  void profile(std::span<double> u) const override {
    map_each(u, [squared = c_ * c_](double v) { return 1 / std::sqrt(v + squared); });
  }
  void first_derivative(std::span<double> u) const override {
    profile(u);
    map_each(u, [](double v) { return -0.5 * v * v * v; });
  }
  void second_derivative(std::span<double> u) const override {
    profile(u);
    map_each(u, [](double v) { return 0.75 * v * v * v * v * v; });
  }
  void parameter_derivative(Index /*p*/, std::span<double> u) const override {
    profile(u);
    map_each(u, [c = c_](double v) { return -c * v * v * v; });
  }

  // (1 + s)^−½ = E exp(−gs), g of the gamma distribution of shape ½.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    return scale_mixture(1 / c_, [c = c_](RandomStream& random) { return std::sqrt(2 * random.gamma(0.5)) / c; });
  }

 private:
  double c_;
};

std::shared_ptr<const KernelNode> make_inverse_multiquadric(const KernelEntry& entry, ParameterList parameters,
                                                            std::vector<Kernel> children) {
  return make_with_offset<InverseMultiquadricNode>(entry, std::move(parameters), std::move(children), "c");
}

}  // namespace

const KernelEntry& inverse_multiquadric_entry() {
  static const KernelEntry entry{
      .name = "inverse_multiquadric",
      .aliases = {"imq"},
      .formula = "1 / sqrt(|x-y|^2 / lengthscale^2 + c^2)",
      .summary = "smooth functions; decays as 1/distance",
      .definiteness = "positive definite",
      .parameters = {offset_lengthscale_spec("c"), {.name = "c", .meaning = "offset (default 1); k(x, x) = 1/c"}},
      .make = make_inverse_multiquadric,
      .examples = {"inverse_multiquadric(c=0.8)", "inverse_multiquadric(lengthscale=1.5, c=1.2)",
                   "inverse_multiquadric(lengthscale=[1, 2, inf])"}};
  return entry;
}

}  // namespace mercer
