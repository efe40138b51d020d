#include "mercer/kernels/radial/multiquadric.h"

#include <cmath>

#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// φ(u) = −√(u + c²), u = (r/ℓ)²
class MultiquadricNode final : public RadialNode {
 public:
  MultiquadricNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0), c_(this->parameters().number_or("c", 1)) {}
  Definiteness definiteness() const override {
    Definiteness result = Definiteness::conditional(1);
    result.nonpositive = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override {
    map_each(u, [squared = static_cast<float>(c_ * c_)](float v) { return -std::sqrt(v + squared); });
  }
  void profile(std::span<double> u) const override {
    map_each(u, [squared = c_ * c_](double v) { return -std::sqrt(v + squared); });
  }
  void first_derivative(std::span<double> u) const override {
    profile(u);
    map_each(u, [](double v) { return 0.5 / v; });
  }
  void second_derivative(std::span<double> u) const override {
    profile(u);
    map_each(u, [](double v) { return -0.25 / (v * v * v); });
  }
  void parameter_derivative(Index /*p*/, std::span<double> u) const override {
    profile(u);
    map_each(u, [c = c_](double v) { return c / v; });
  }

 private:
  double c_;
};

std::shared_ptr<const KernelNode> make_multiquadric(const KernelEntry& entry, ParameterList parameters,
                                                    std::vector<Kernel> children) {
  return make_with_offset<MultiquadricNode>(entry, std::move(parameters), std::move(children), "c");
}

}  // namespace

const KernelEntry& multiquadric_entry() {
  static const KernelEntry entry{
      .name = "multiquadric",
      .formula = "-sqrt(|x-y|^2 / lengthscale^2 + c^2)",
      .summary = "smoothed negative distance, for models with a constant term",
      .definiteness = "conditionally positive definite of order 1",
      .parameters = {offset_lengthscale_spec("c"), {.name = "c", .meaning = "offset (default 1); k(x, x) = -c"}},
      .make = make_multiquadric,
      .examples = {"multiquadric(c=0.8)", "multiquadric(lengthscale=1.5, c=1.2)",
                   "multiquadric(lengthscale=[1, 2, inf])"}};
  return entry;
}

}  // namespace mercer
