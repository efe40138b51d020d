#include "mercer/kernels/radial/rbf.h"

#include "mercer/base/vector_math.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// φ(u) = exp(−u), u = γr² = r²/(2ℓ²)
class RbfNode final : public RadialNode {
 public:
  RbfNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 0.5) {}

  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override { vector_exp_scaled(u, -1.0F, u); }
  void profile(std::span<double> u) const override { vector_exp_scaled(u, -1.0, u); }
  void first_derivative(std::span<double> u) const override {
    profile(u);
    for (double& value : u) {
      value = -value;
    }
  }
  void second_derivative(std::span<double> u) const override { profile(u); }

  // exp(−‖t‖²/2) is the characteristic function of the standard normal distribution.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    return SpectralSampler{1.0, [](RandomStream& random, std::span<double> frequency) {
                             for (double& component : frequency) {
                               component = random.normal();
                             }
                           }};
  }
};

// gamma=scale unless a length scale is given.
std::shared_ptr<const KernelNode> make_rbf(const KernelEntry& entry, ParameterList parameters,
                                           std::vector<Kernel> children) {
  if (!parameters.has("gamma") && !parameters.has("lengthscale")) {
    parameters = ParameterList(entry.name, entry.parameters, {{"gamma", ParameterValue::of_width(WidthRule::scale)}});
  }
  return std::make_shared<const RbfNode>(entry, std::move(parameters), std::move(children));
}

}  // namespace

const KernelEntry& rbf_entry() {
  static const KernelEntry entry{
      .name = "rbf",
      .aliases = {"gaussian", "squared_exponential"},
      .formula = "exp(-gamma |x-y|^2) = exp(-|x-y|^2 / (2 lengthscale^2))",
      .summary = "Gaussian kernel: smooth functions; the default choice",
      .definiteness = "positive definite",
      .parameters = {{.name = "gamma", .meaning = "inverse squared width (default scale)"},
                     {.name = "lengthscale",
                      .aliases = {"length_scale", "sigma"},
                      .meaning = "width, one number or one per column; gamma = 1/(2 lengthscale^2)",
                      .may_be_list = true,
                      .may_be_infinite = true}},
      .make = make_rbf,
      .examples = {"rbf(gamma=0.7)", "rbf(lengthscale=1.5)", "rbf(lengthscale=[0.5, 2, inf])"}};
  return entry;
}

}  // namespace mercer
