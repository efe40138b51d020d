#include "mercer/kernels/radial/inverse_quadratic.h"

#include <cmath>

#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/scale_mixture.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// φ(u) = 1/(a² + u), u = (r/ℓ)²
class InverseQuadraticNode final : public RadialNode {
 public:
  InverseQuadraticNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0), a_(this->parameters().number_or("a", 1)) {}
  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override {
    map_each(u, [squared = static_cast<float>(a_ * a_)](float v) { return 1 / (v + squared); });
  }
  void profile(std::span<double> u) const override {
    map_each(u, [squared = a_ * a_](double v) { return 1 / (v + squared); });
  }
  void first_derivative(std::span<double> u) const override {
    profile(u);
    map_each(u, [](double v) { return -v * v; });
  }
  void second_derivative(std::span<double> u) const override {
    profile(u);
    map_each(u, [](double v) { return 2 * v * v * v; });
  }
  void parameter_derivative(Index /*p*/, std::span<double> u) const override {
    profile(u);
    map_each(u, [a = a_](double v) { return -2 * a * v * v; });
  }

  // As for the Cauchy kernel.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    return scale_mixture(1 / (a_ * a_), [a = a_](RandomStream& random) { return std::sqrt(2 * random.gamma(1)) / a; });
  }

 private:
  double a_;
};

std::shared_ptr<const KernelNode> make_inverse_quadratic(const KernelEntry& entry, ParameterList parameters,
                                                         std::vector<Kernel> children) {
  return make_with_offset<InverseQuadraticNode>(entry, std::move(parameters), std::move(children), "a");
}

}  // namespace

const KernelEntry& inverse_quadratic_entry() {
  static const KernelEntry entry{
      .name = "inverse_quadratic",
      .formula = "1 / (a^2 + |x-y|^2 / lengthscale^2)",
      .summary = "smooth functions with influence over long distances; cauchy with another amplitude",
      .definiteness = "positive definite",
      .parameters = {offset_lengthscale_spec("a"), {.name = "a", .meaning = "offset (default 1); k(x, x) = 1/a^2"}},
      .make = make_inverse_quadratic,
      .examples = {"inverse_quadratic(a=0.8)", "inverse_quadratic(lengthscale=1.5, a=1.2)",
                   "inverse_quadratic(lengthscale=[1, 2, inf])"}};
  return entry;
}

}  // namespace mercer
