#include "mercer/kernels/generative/mixture_node.h"

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/generative/gaussian_mixture_fit.h"
#include "mercer/kernels/registry.h"

namespace mercer {

std::vector<ParameterSpec> mixture_specs(std::string default_components, std::vector<ParameterSpec> others) {
  std::vector<ParameterSpec> specs = {
      {.name = "components",
       .role = ParameterRole::number,
       .constraint = Constraint::positive_integer,
       .default_text = std::move(default_components),
       .meaning = "number of Gaussians"},
      fitted_spec("weights", "share of every component; auto: fitted by EM", Constraint::positive),
      fitted_spec("means", "mean of every component, row by row; auto: fitted by EM", Constraint::any),
      fitted_spec("variances", "variances of every component, row by row; auto: fitted by EM", Constraint::positive)};
  specs.insert(specs.end(), others.begin(), others.end());
  return specs;
}

MixtureNode::MixtureNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
    : DenseFeaturesNode(entry, std::move(parameters), std::move(children)) {
  if (wait_for_data(*this, {"weights", "means", "variances"}) ||
      !this->parameters().find("components")->value.is_resolved()) {
    return;
  }
  const auto count = static_cast<Index>(this->parameters().number("components"));
  const auto numbers = static_cast<Index>(this->parameters().numbers("means").size());
  if (numbers % count != 0) {
    throw InvalidArgument(entry.name + ": means has " + std::to_string(numbers) +
                          " numbers, which is no multiple of components=" + std::to_string(count));
  }
  std::vector<double> weights = model_numbers(*this, "weights", count);
  normalize_rows(*this, "weights", count, weights);
  mixture_ = GaussianMixture(std::move(weights), this->parameters().numbers("means"),
                             model_numbers(*this, "variances", numbers));
}

std::shared_ptr<const KernelNode> MixtureNode::resolved(const WeightedSamples& all, const Run& run) const {
  if (parameters().resolved()) {
    return KernelNode::resolved(all, run);
  }
  const PointBags bags = point_bags(entry().name, default_columns(all.samples));
  ParameterList parameters = this->parameters();
  GaussianMixture model = mixture_;
  if (model.components() == 0) {
    const auto components = static_cast<Index>(parameters.number("components"));
    require_storable(*this, static_cast<double>(components) * (1 + 2 * static_cast<double>(bags.dimension())),
                     "choose fewer components, or fewer columns with a subscript");
    const MixtureFit fit = fit_gaussian_mixture(
        bags.points.view(), {.components = components, .weights = point_weights(bags, all.weights)}, run);
    if (!fit.converged) {
      run.log(LogLevel::info, entry().name + ": EM stopped at its iteration limit");
    }
    if (fit.model.components() < components) {
      run.warn(entry().name + ": only " + std::to_string(fit.model.components()) + " of " + std::to_string(components) +
               " components have samples of their own; the others are left out");
    }
    model = fit.model;
    parameters = with_mixture(*this, std::move(parameters), model);
  }
  require_dimension(entry().name, bags, model.dimension());
  return rebuilt(with_other_fits(std::move(parameters), model, bags, run), {});
}

ParameterList MixtureNode::with_other_fits(ParameterList parameters, const GaussianMixture& /*mixture*/,
                                           const PointBags& /*bags*/, const Run& /*run*/) const {
  return parameters;
}

PointBags MixtureNode::model_bags(const Samples& samples) const {
  PointBags bags = point_bags(entry().name, samples);
  require_dimension(entry().name, bags, mixture_.dimension());
  return bags;
}

ParameterList with_mixture(const KernelNode& node, ParameterList parameters, const GaussianMixture& mixture) {
  if (mixture.dimension() == 0) {
    throw InvalidArgument(node.entry().name + ": the samples have no columns");
  }
  return parameters.with("components", ParameterValue::number(static_cast<double>(mixture.components())))
      .with("weights", fitted_numbers(node, mixture.weights()))
      .with("means", fitted_numbers(node, mixture.means()))
      .with("variances", fitted_numbers(node, mixture.variances()));
}

}  // namespace mercer
