#include "mercer/kernels/algebra/scale.h"

#include "mercer/kernels/registry.h"

namespace mercer {

const KernelEntry& scale_entry() {
  static const KernelEntry entry{
      .name = "scale",
      .formula = "c k(x,y)",
      .summary = "a kernel times a number, written c*k",
      .definiteness = "as k for c >= 0, indefinite for c < 0",
      .input = KernelInput::any,
      .parameters = {{.name = "scale", .constraint = Constraint::any, .default_text = "1", .meaning = "the factor c"}},
      .fewest_children = 1,
      .most_children = 1,
      .make = make_node<ScaleNode>,
      .examples = {"0.5*rbf(gamma=0.3)", "2*(linear() + rbf(gamma=1))"}};
  return entry;
}

ScaleNode::ScaleNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
    : MappedNode(entry, std::move(parameters), std::move(children)),
      factor_(this->parameters().number_or("scale", 1)) {}

std::string ScaleNode::spec() const {
  const ParameterValue& factor = parameters().find("scale")->value;
  const std::string text = factor.bounds ? "(" + to_string(factor) + ")" : to_string(factor);
  return text + "*" + print_child(child(0), Binding::power);
}

Definiteness ScaleNode::definiteness() const { return definiteness_of_scaled(factor_, child(0).definiteness()); }

std::optional<SpectralSampler> ScaleNode::spectral_sampler(Index dimension) const {
  auto sampler = child(0).spectral_sampler(dimension);
  if (sampler) {
    sampler->amplitude *= factor_;
  }
  return sampler;
}

void ScaleNode::map(std::span<float> v) const {
  const auto factor = static_cast<float>(factor_);
  for (float& value : v) {
    value *= factor;
  }
}

void ScaleNode::map(std::span<double> v) const {
  for (double& value : v) {
    value *= factor_;
  }
}

double ScaleNode::slope(double /*v*/) const { return factor_; }
double ScaleNode::curvature(double /*v*/) const { return 0; }
void ScaleNode::parameter_slopes(double v, std::span<double> out) const { out[0] = v; }

}  // namespace mercer
